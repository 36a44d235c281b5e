"""Lines that ran, by layer, from the reports of gcov on standard input, one JSON object in each line. Argument: the folder of the sources."""
import json, os, sys

source = os.path.realpath(sys.argv[1]) + os.sep
ran = {}  # (file, line): it ran somewhere
for text in sys.stdin:
    if not text.strip():
        continue
    report = json.loads(text)
    for file in report["files"]:
        path = os.path.realpath(os.path.join(report["current_working_directory"], file["file"]))
        if path.startswith(source):
            for line in file["lines"]:
                key = (path[len(source) :], line["line_number"])
                ran[key] = ran.get(key, False) or line["count"] > 0
layers, files = {}, {}
for (path, _), did in ran.items():
    for table, key in ((layers, path.split(os.sep)[0]), (files, path)):
        all_of, done = table.get(key, (0, 0))
        table[key] = (all_of + 1, done + did)
print(f"{'layer':12} {'lines':>7} {'ran':>7} {'share':>7}")
for layer, (lines, done) in sorted(layers.items()) + [("all", tuple(map(sum, zip(*layers.values()))) if layers else (0, 0))]:
    print(f"{layer:12} {lines:7} {done:7} {100 * done / max(lines, 1):6.1f} %")
print("lines that no test runs, most first:")
for path, (lines, done) in sorted(files.items(), key=lambda item: item[1][1] - item[1][0])[:10]:
    print(f"  {path:44} {lines - done:5} of {lines}")
sys.exit(0 if layers else 1)
