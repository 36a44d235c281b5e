"""Faults in a line of C++: what each operator changes, and which lines of the sources are drawn."""
import hashlib, os, re

# ---- the operators: a piece of an expression and what takes its place


# how many roundings are let through is no matter of one more or less
OF_ROUNDING = re.compile(r" \* (?:rounding|epsilon|eps\b|std::numeric_limits)")


def constants(text):
    for m in re.finditer(r"(?<![\w.])(\d+\.\d*(?:e-?\d+)?|\d+e-?\d+)(?![\w.])", text):
        value = m.group(1)
        yield m.start(), m.end(), f"({value} * 1.25 + 0.125)"
    for m in re.finditer(r"(?<![\w.\[<])(\d+)(?![\w.>\]])", text):
        if OF_ROUNDING.match(text, m.end()):
            continue
        yield m.start(), m.end(), str(int(m.group(1)) + 1)


def signs(text):
    for m in re.finditer(r" ([-+]) ", text):
        yield m.start(1), m.end(1), "+" if m.group(1) == "-" else "-"
    for m in re.finditer(r"(?:^|[(,=]\s?|return )(-)(?=[a-z(])", text):
        yield m.start(1), m.end(1), "+"
    for m in re.finditer(r" ([*/]) ", text):
        yield m.start(1), m.end(1), "/" if m.group(1) == "*" else "*"


def comparisons(text):
    for m in re.finditer(r" (<=|>=|<|>|==|!=|&&|\|\|) ", text):
        other = {"<=": "<", ">=": ">", "<": ">=", ">": "<=", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
        yield m.start(1), m.end(1), other[m.group(1)]
    for m in re.finditer(r"std::(min|max)\(", text):
        yield m.start(1), m.end(1), "max" if m.group(1) == "min" else "min"


def indices(text):
    for m in re.finditer(r"\[([a-z])\]", text):
        yield m.start(1), m.end(1), f"({m.group(1)} > 0 ? {m.group(1)} - 1 : {m.group(1)})"
    for m in re.finditer(r"\.(front|back)\(\)", text):
        yield m.start(1), m.end(1), "back" if m.group(1) == "front" else "front"


ANY_ORDER = re.compile(r"(?:std::(?:min|max|hypot)|hull)$")  # of these the order says nothing


def orders(text):
    for m in re.finditer(r"\(([a-z]\w*), ([a-z]\w*)(?=[,)])", text):
        if m.group(1) != m.group(2) and not ANY_ORDER.search(text[: m.start()]):
            yield m.start(1), m.end(2), f"{m.group(2)}, {m.group(1)}"


OPERATORS = {"constant": constants, "sign": signs, "comparison": comparisons, "index": indices, "order": orders}


def balanced(text):
    depth = 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if depth < 0:
            return False
    return depth == 0 and text.count('"') % 2 == 0


def one_expression(text):
    """no comma between declarations"""
    depth = 0
    for c in text:
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            return False
    return True


SCALAR = r"(?:const )?(?:double|int|bool|long|std::size_t)"


DECLARED = re.compile(r"\b((?:std::)?[A-Za-z]\w*)&? (\w+)(?=[,;:)=]| =)")


def types_in(text):
    """the types that names are declared with in a file"""
    types = {}
    for kind, name in DECLARED.findall(text):
        types.setdefault(name, set()).add(kind)
    return types


def same_type(types, what):
    """the first two arguments that differ may stand for one another"""
    old, _, new = what.partition(" -> ")
    pairs = [m.groups() for m in re.finditer(r"\(([a-z]\w*), ([a-z]\w*)(?=[,)])", old)]
    return any(f"({b}, {a}" in new and types.get(a, set()) & types.get(b, set()) - {"auto", "return"} for a, b in pairs)


def places(line):
    """what may change in a line of a function: (operator, what is changed, the line with both)"""
    code = line.split("//")[0].rstrip()
    if not code.startswith("  ") or "constexpr" in code or "#" in code or "static" in code or not balanced(code):
        return
    indent = code[: len(code) - len(code.lstrip())]
    body = code.strip()
    both = "escapement_mutant(@)"

    def each(expression, form):
        for operator, find in OPERATORS.items():
            for begin, end, new in find(expression):
                if '"' in expression:  # texts stay as they are
                    continue
                changed = expression[:begin] + new + expression[end:]
                yield operator, f"{expression} -> {changed}", indent + form(changed, expression)

    if m := re.fullmatch(r"return (.+);", body):
        yield from each(m.group(1), lambda new, old: f"{{ if ({both}) return {new}; return {old}; }}")
    elif m := re.fullmatch(rf"({SCALAR}) (\w+) = ([^,;]+(?:\([^;]*\))?[^,;]*);", body):
        kind = m.group(1).replace("const ", "")
        if one_expression(m.group(3)):
            yield from each(m.group(3), lambda new, old: f"{m.group(1)} {m.group(2)} = {both} ? {kind}({new}) : {kind}({old});")
    elif m := re.fullmatch(r"((?:\} else )?if|while) \(([^;=]*(?:[<>=!]=[^;=]*)*)\)( \{| [\w].*;)?", body):
        if balanced(m.group(2)):
            rest = m.group(3) or ""
            yield from each(m.group(2), lambda new, old: f"{m.group(1)} ({both} ? bool({new}) : bool({old})){rest}")
    elif m := re.fullmatch(r"([\w.\->]+(?:[\[(][\w+\-*, ]*[\])])?) ([-+*/]?=) (.+);", body):
        yield from each(f"{m.group(1)} {m.group(2)} {m.group(3)}", lambda new, old: f"{{ if ({both}) {{ {new}; }} else {{ {old}; }} }}")
        yield "left out", f"{body} left out", indent + f"{{ if (!{both}) {{ {body} }} }}"
    elif re.fullmatch(r"[a-z][\w.\->]*\([^;{}]*\);", body) and not body.startswith(("return", "static_assert")):
        yield "left out", f"{body} left out", indent + f"{{ if (!{both}) {{ {body} }} }}"


LAYERS = ["math", "system", "model", "nonsmooth", "schemes", "simulate", "ensemble", "run", "io", "study", "studio", "cli"]
SOURCES = re.compile(r"\.cpp$")
KERNEL = "src/ensemble/kernel/"  # what members of an ensemble run stands in headers


def places_of(root, layer):
    """every place of a layer; the number tells those apart that read the same"""
    seen = {}
    for folder, _, names in sorted(os.walk(os.path.join(root, "src", layer))):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), root)
            if not SOURCES.search(name) and not path.startswith(KERNEL):
                continue
            with open(os.path.join(root, path)) as file:
                whole = file.read()
            types = types_in(whole)
            for line, text in enumerate(whole.split("\n")):
                for operator, what, both in places(text):
                    if operator == "order" and not same_type(types, what):
                        continue
                    same = seen.setdefault((path, what), set())
                    same.add(line)
                    again = f" ({len(same)})" if len(same) > 1 else ""
                    yield {"layer": layer, "file": path, "line": line, "operator": operator, "what": what + again, "both": both}


def draw(root, layers, count, seed):
    """for each layer its mutants, first those to take. The order comes from a hash of each place by itself, so that a change of one file
    leaves the mutants of the others as they are; operators in turn, one mutant in a line at most"""
    drawn = []
    for layer in layers:
        first, by_operator = 100 * LAYERS.index(layer) + 1, {}
        for place in places_of(root, layer):
            place["rank"] = hashlib.sha256(f"{seed} {place['file']} {place['what']}".encode()).hexdigest()
            by_operator.setdefault(place["operator"], []).append(place)
        for found in by_operator.values():
            found.sort(key=lambda place: place["rank"], reverse=True)
        taken, used = [], set()
        wanted = 2 * count  # twice as many as needed, for those that do not compile
        while len(taken) < wanted and any(by_operator.values()):
            for operator in sorted(by_operator):
                while by_operator[operator] and len(taken) < wanted:
                    place = by_operator[operator].pop()
                    if (place["file"], place["line"]) not in used:
                        used.add((place["file"], place["line"]))
                        taken.append(place)
                        break
        for k, place in enumerate(taken):
            place["number"] = first + k
            place["key"] = f"{place['file']}: {place['what']}"
        drawn += taken
    return drawn
