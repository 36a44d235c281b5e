// Equations in TeX on standard input, a JSON list; HTML on standard output, the same. The page needs the style sheet and the fonts of KaTeX.
import { readFileSync } from "node:fs";
import katex from "katex";

const equations = JSON.parse(readFileSync(0, "utf8"));
const set = (text) => katex.renderToString(text, { displayMode: true, throwOnError: true, strict: "error" });
process.stdout.write(JSON.stringify(equations.map(set)));
