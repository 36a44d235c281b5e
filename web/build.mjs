// node build.mjs FOLDER: bundles the page and writes it there, as HTML to look at and as C++ to link.
// Two pages: report.html for planar models and studies, report3d.html with three.js for spatial ones.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "dist");

async function bundle(entry, charset = "utf8") {
  const result = await build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    format: "iife",
    target: ["es2022"],
    charset,
    legalComments: "none",
    write: false,
    logLevel: "warning",
  });
  return result.outputFiles[0].text.trim();
}

// a closing tag inside a string of the script would end the script
const inScript = (text) => text.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");

// the licences of what the page contains travel with it
function notice(packages) {
  const texts = packages.map((name) => {
    const folder = join(here, "node_modules", name);
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return `${name} ${version}\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}`;
  });
  return texts.join("\n\n").replaceAll("--", "- -");
}

function whole(file, style, script, packages) {
  const template = readFileSync(join(here, file), "utf8");
  const hash = createHash("sha256").update(script).digest("base64");
  return template
    .replace("@HASH@", () => hash)
    .replace("@NOTICE@", () => notice(packages))
    .replace("@STYLE@", () => style)
    .replace("@SCRIPT@", () => script);
}

function page(style, script, packages) {
  const html = whole("src/template.html", style, script, packages);
  const [before, after, ...more] = html.split("@DATA@");
  if (after === undefined || more.length > 0) throw new Error("the template must have one place for the data");
  return { before, after };
}

// pieces, because compilers need not take longer literals
function literal(text) {
  const pieces = [];
  for (let i = 0; i < text.length; ) {
    let end = Math.min(i + 12000, text.length);
    if (end < text.length && text.charCodeAt(end - 1) >= 0xd800 && text.charCodeAt(end - 1) < 0xdc00) end--;
    pieces.push(`    R"~page~(${text.slice(i, end)})~page~"`);
    i = end;
  }
  return pieces.join("\n");
}

function source(pages) {
  const lines = ['#include "io/report_template.hpp"', "", "namespace escapement::inline io {", "namespace {"];
  for (const [name, { before, after }] of Object.entries(pages)) {
    lines.push(`constexpr char ${name}_before[] =\n${literal(before)};`);
    lines.push(`constexpr char ${name}_after[] =\n${literal(after)};`);
  }
  lines.push("template <std::size_t n>", "constexpr std::string_view view(const char (&text)[n]) {", "  return {text, n - 1};", "}");
  lines.push("}  // namespace", "", "ReportTemplate report_template(bool spatial) {");
  lines.push("  if (spatial) return {view(spatial_before), view(spatial_after)};", "  return {view(planar_before), view(planar_after)};", "}");
  lines.push("}  // namespace escapement", "");
  return lines.join("\n");
}

function studioSource(html) {
  return ['#include "studio/page.hpp"', "", "namespace escapement::inline studio {", "namespace {", `constexpr char page[] =\n${literal(html)};`, "}  // namespace", "",
    "std::string_view studio_page() { return {page, sizeof page - 1}; }", "", "}  // namespace escapement", ""].join("\n");
}

const uplotStyle = readFileSync(join(here, "node_modules/uplot/dist/uPlot.min.css"), "utf8");
const minified = await build({
  stdin: { contents: uplotStyle + readFileSync(join(here, "src/style.css"), "utf8"), loader: "css" },
  minify: true,
  write: false,
  charset: "utf8",
  logLevel: "warning",
});
const style = minified.outputFiles[0].text.trim();
const planar = page(style, inScript(await bundle("src/main.ts")), ["uplot"]);
const spatial = page(style, inScript(await bundle("src/main3d.ts")), ["uplot", "three"]);

mkdirSync(out, { recursive: true });
writeFileSync(join(out, "report.html"), `${planar.before}@DATA@${planar.after}`);
writeFileSync(join(out, "report3d.html"), `${spatial.before}@DATA@${spatial.after}`);
writeFileSync(join(out, "report_template.cpp"), source({ planar, spatial }));

const editorPackages = ["codemirror", "@codemirror/autocomplete", "@codemirror/commands", "@codemirror/lang-yaml", "@codemirror/language",
  "@codemirror/lint", "@codemirror/search", "@codemirror/state", "@codemirror/view", "@lezer/common", "@lezer/highlight", "@lezer/lr", "@lezer/yaml"];
const studio = whole("src/studio.html", style, inScript(await bundle("src/studio.ts", "ascii")), ["uplot", "three", ...editorPackages]);
writeFileSync(join(out, "studio.html"), studio);
writeFileSync(join(out, "studio_page.cpp"), studioSource(studio));
