"""Hooks of the documentation's site: its equations are typeset when it is built, and its search works from the folder too, where a
page may neither fetch nor start workers."""
import json
import os
import re
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EQUATION = re.compile(r"^```math\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# Mathematics within a sentence stands in the pages as one would type it, Q_{i+1}, h^-3, lambda; here it gets its letters, indices and
# exponents. What is code, an address, a heading or a tag stays as it is.
UNTOUCHED = re.compile(r"^```.*?^```$|^(?: {4}|#).*?$|`[^`]*`|\]\([^)]*\)|<[/a-zA-Z][^>]*>", re.MULTILINE | re.DOTALL)
GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "eps": "ε", "kappa": "κ", "lambda": "λ", "Lambda": "Λ", "mu": "μ", "nu": "ν", "xi": "ξ",
         "omega": "ω", "phi": "φ", "psi": "ψ", "Psi": "Ψ", "rho": "ρ", "sigma": "σ", "tau": "τ", "theta": "θ"}
LETTERS = "|".join(GREEK)
INDEX = r"\{[^{}]*\}|\([^()]*\)|[A-Za-z0-9]+(?:,[a-z]+)?"
TERM = re.compile(rf"(?<![\w.{{}}])(?<!\w-)(?P<letter>{LETTERS}|Lam|err|(?:max|min|sum|proj)(?=_[A-Za-z](?![A-Za-z]))|[A-Za-z][0-9]?|(?<=\)))(?P<mark>'{{0,2}}~?'{{0,2}})_(?P<index>{INDEX})(?![A-Za-z0-9])|"
                  rf"(?<!\w)(?<!\w-)(?P<greek>{LETTERS})(?![\w-])(?!\.\w)")
POWER = re.compile(r"(?<=[\w)\]>'])\^(\{[^{}]*\}|\([^()]*\)|-?[0-9]+(?:/[0-9]+)?|[A-Za-z](?![A-Za-z]))")
SIGNS = {"<=": "≤", ">=": "≥", "-+": "∓", "+-": "±", "perp": "⊥"}
SIGN = re.compile(r"(?<=\s)(<=|>=|-\+|\+-|perp)(?=\s)")


def inner(index):
    """An index or exponent without the brackets that hold it together."""
    bare = index[1:-1] if index[0] in "{(" else index
    return re.sub(rf"(?<![\w])({LETTERS})(?![\w])", lambda m: GREEK[m[1]], bare).replace("_", "&#95;")


def set_term(match):
    if match["greek"]:
        return f"<i>{GREEK[match['greek']]}</i>"
    letter = GREEK.get(match["letter"], match["letter"])
    letter = f"<i>{letter}</i>" if len(letter) in (1, 2) else letter
    return f"{letter}{match['mark']}<sub>{inner(match['index'])}</sub>"


def set_sentence(text):
    text = TERM.sub(set_term, text)
    text = POWER.sub(lambda m: f"<sup>{inner(m[1])}</sup>", text)
    text = SIGN.sub(lambda m: SIGNS[m[1]], text)
    return re.sub(r"(?<=[\w)])\*(?=[\w(])", "&#42;", text)  # times, no emphasis


def set_sentences(markdown):
    done, at = [], 0
    for code in UNTOUCHED.finditer(markdown):
        done += [set_sentence(markdown[at : code.start()]), code[0]]
        at = code.end()
    return "".join(done) + set_sentence(markdown[at:])


def typesetter():
    """A folder of the build with what sets equations, installed when it is not there."""
    folder, source = os.path.join(ROOT, "build", "typeset"), os.path.join(ROOT, "tools", "typeset")
    shutil.copytree(source, folder, dirs_exist_ok=True)
    lock, installed = os.path.join(source, "package-lock.json"), os.path.join(folder, "node_modules", ".package-lock.json")
    if not os.path.exists(installed) or os.path.getmtime(installed) < os.path.getmtime(lock):
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=folder, check=True)
        os.utime(installed)
    return folder


def on_page_markdown(markdown, page, config, files):
    equations = EQUATION.findall(markdown)
    markdown = set_sentences(markdown)
    if not equations:
        return markdown
    set_equations = subprocess.run(["node", "typeset.mjs"], cwd=typesetter(), input=json.dumps(equations), capture_output=True, text=True)
    if set_equations.returncode != 0:
        raise RuntimeError(f"{page.file.src_path}: {set_equations.stderr.strip()}")
    ready = iter(json.loads(set_equations.stdout))
    return EQUATION.sub(lambda _: f'<div class="equation">{next(ready)}</div>', markdown)


# a worker made of a frame: the theme's search script runs in it, and messages go to and fro
SHIM = """
if (location.protocol === "file:")
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.documentElement.appendChild(frame);
      this.inner = frame.contentWindow;
      this.inner.postMessage = (data) => this.tell(data);
      const script = frame.contentDocument.createElement("script");
      script.src = new URL(url, document.baseURI).href;
      this.ready = new Promise((done) => (script.onload = done));
      frame.contentDocument.documentElement.appendChild(script);
    }
    tell(data) {
      const event = new MessageEvent("message", { data });
      this.dispatchEvent(event);
      if (this.onmessage) this.onmessage(event);
    }
    postMessage(data) {
      this.ready.then(() => this.inner.dispatchEvent(new this.inner.MessageEvent("message", { data })));
    }
    terminate() {}
  };
"""


def on_post_page(output, page, config):
    root = os.path.relpath(".", os.path.dirname(page.url) or ".")
    index = f"{root}/search/search_index.js"
    style = f'<link rel="stylesheet" href="{root}/katex/katex.min.css">' if 'class="equation"' in output else ""
    return output.replace("<head>", f'<head>{style}<script src="{index}"></script><script>{SHIM}</script>', 1)


def on_post_build(config):
    katex, target = os.path.join(typesetter(), "node_modules", "katex"), os.path.join(config["site_dir"], "katex")
    os.makedirs(target, exist_ok=True)
    shutil.copy(os.path.join(katex, "dist", "katex.min.css"), target)
    shutil.copy(os.path.join(katex, "LICENSE"), target)
    # the first of the formats that the style sheet names, which every browser reads
    shutil.copytree(os.path.join(katex, "dist", "fonts"), os.path.join(target, "fonts"), ignore=shutil.ignore_patterns("*.ttf", "*.woff"), dirs_exist_ok=True)
    folder = os.path.join(config["site_dir"], "search")
    with open(os.path.join(folder, "search_index.json"), encoding="utf-8") as source:
        index = json.load(source)
    with open(os.path.join(folder, "search_index.js"), "w", encoding="utf-8") as target:
        target.write("var __search = {index: Promise.resolve(" + json.dumps(index).replace("<", "\\u003c") + ")};\n")
