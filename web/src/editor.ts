// The editor of a model's text: colours, completion, and messages at their place. By CodeMirror.
import { autocompletion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { yaml } from "@codemirror/lang-yaml";
import { syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorView, keymap } from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { basicSetup } from "codemirror";

export interface Word {
  word: string;
  kind: string; // key or scheme
  help: string;
}
export interface Diagnosis {
  message: string;
  line: number; // from 1; 0: nowhere
  column: number;
}
export interface Editor {
  element: HTMLElement;
  text: () => string;
  diagnose: (what: Diagnosis | null) => void;
}

const pause = 250; // milliseconds without typing before the text is run

export function makeEditor(text: string, words: Word[], tell: { changed: () => void; save: () => void }): Editor {
  let timer = 0;
  const view = new EditorView({
    doc: text,
    extensions: [
      basicSetup,
      yaml(),
      syntaxHighlighting(classHighlighter), // the style sheet has the colours, for both themes
      lintGutter(),
      autocompletion({ override: [(context) => complete(context, words)] }),
      EditorView.contentAttributes.of({ "aria-label": "model" }),
      keymap.of([
        {
          key: "Mod-s",
          preventDefault: true,
          run: () => {
            tell.save();
            return true;
          },
        },
      ]),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        clearTimeout(timer);
        timer = window.setTimeout(tell.changed, pause);
      }),
    ],
  });
  return {
    element: view.dom,
    text: () => view.state.doc.toString(),
    diagnose: (what) => {
      if (!what || what.line < 1) return view.dispatch(setDiagnostics(view.state, []));
      const line = view.state.doc.line(Math.min(what.line, view.state.doc.lines));
      const from = Math.min(line.from + Math.max(0, what.column - 1), line.to);
      view.dispatch(setDiagnostics(view.state, [{ from, to: line.to, severity: "error", message: what.message }]));
    },
  };
}

/** The keys of the format, the schemes behind `scheme:`, and the names that stand in the text. */
function complete(context: CompletionContext, words: Word[]): CompletionResult | null {
  const before = context.matchBefore(/[\w.-]+/);
  if (!before && !context.explicit) return null;
  const line = context.state.doc.lineAt(context.pos);
  const scheme = /scheme:\s*[\w-]*$/.test(line.text.slice(0, context.pos - line.from));
  const known = words.filter((w) => (w.kind === "scheme") === scheme);
  const names = scheme ? [] : [...new Set(context.state.doc.toString().match(/[A-Za-z_]\w*/g) ?? [])].filter((name) => !known.some((w) => w.word === name) && name !== before?.text);
  return {
    from: before ? before.from : context.pos,
    options: [
      ...known.map((w) => ({ label: w.word, type: w.kind === "key" ? "property" : "constant", info: w.help, apply: w.kind === "key" ? `${w.word}: ` : w.word })),
      ...names.map((label) => ({ label, type: "variable" })),
    ],
    validFor: /^[\w.-]*$/,
  };
}
