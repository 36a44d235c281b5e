"""Models rewritten so that their motion has to stay the same. A rewriting returns the new model and a function that brings a state of
its results (names to values) back to the names and values of the original."""
import copy
import math
import re

WORD = re.compile(r"(?<![\w.])([A-Za-z_][\w.]*)('*)(?!\s*\()")


def substitute(text, replace):
    """every name of an expression, with its primes, through replace(name, primes)"""
    return WORD.sub(lambda m: replace(m[1], m[2]) or m[0], text)


def in_expressions(node, replace, name=None):
    """the same in every expression below a node"""
    if isinstance(node, dict):
        return {key: in_expressions(value, replace, key) for key, value in node.items()}
    if isinstance(node, list):
        return [in_expressions(value, replace, name) for value in node]
    return substitute(node, replace) if isinstance(node, str) else node


def same(state):
    return state


def is_formula(model):
    return "coordinates" in model


def bare(model):
    """without what is only looked at"""
    model = {key: value for key, value in copy.deepcopy(model).items() if key not in ("outputs", "drawing")}
    for body in model.get("bodies", {}).values():
        body.pop("shapes", None)
    return model


# -- both kinds of model -------------------------------------------------------------------------------------------------------

def reversed_order(model):
    model = bare(model)
    for part in ("coordinates", "forces", "constraints", "contacts", "bodies", "joints"):
        if part in model:
            model[part] = dict(reversed(model[part].items()))
    if "joints" in model:  # a gear comes after the joints it names
        model["joints"] = dict(sorted(model["joints"].items(), key=lambda item: "gear" in item[1]))
    return model, same


def idle_contact(model):
    model = bare(model)
    first = next(iter(model["coordinates"])) if is_formula(model) else next(iter(model["bodies"])) + ".x"
    model.setdefault("contacts", {})["idle"] = {"gap": f"{first} + 1e4", "restitution": "0.5"}
    return model, same


def later(model, shift=5):
    model = bare(model)

    def replace(name, primes):
        return f"(t - {shift})" if name == "t" else None
    kept = {key: model.pop(key) for key in ("simulation", "parameters", "tables") if key in model}
    model = in_expressions(model, replace) | kept
    simulation = model["simulation"]
    model["simulation"] = simulation | {"start": str(shift), "end": f"({simulation['end']}) + {shift}"}
    return model, same


def twice(model):
    model = bare(model)
    parts = [part for part in ("coordinates", "forces", "constraints", "contacts", "bodies", "joints") if part in model]
    mine = {name for part in parts if part in ("coordinates", "bodies", "joints") for name in model[part]}

    def replace(name, primes):
        head, dot, rest = name.partition(".")
        return f"{head}_b{dot}{rest}{primes}" if head in mine else None
    for part in parts:
        model[part] |= {f"{name}_b": in_expressions(value, replace) for name, value in model[part].items()}
    for energy in ("kinetic_energy", "potential_energy"):
        if energy in model:
            model[energy] = f"({model[energy]}) + ({substitute(model[energy], replace)})"
    return model, same


# -- formula systems: affine changes of the coordinates, q = A Q + b -----------------------------------------------------------

def changed_coordinates(model, A, b, unit=1):
    """A maps a coordinate to {coordinate: factor}, b a coordinate to a number; gaps and slips are counted in 1/unit of the old"""
    model = bare(model)
    names = list(model["coordinates"])
    inverse = inverted(A, names)
    old = {name: model["coordinates"][name] or {} for name in names}

    def replace(name, primes):
        if name not in A:
            return None
        sum_ = " + ".join(f"{factor!r}*{other}{primes}" for other, factor in A[name].items())
        return f"({sum_}{'' if primes else f' + {b[name]!r}'})"

    for key in ("kinetic_energy", "potential_energy", "constraints"):
        if key in model:
            model[key] = in_expressions(model[key], replace)
    force = {name: in_expressions(text, replace) for name, text in model.get("forces", {}).items()}
    if force:  # of Q: A^T f
        model["forces"] = {}
        for name in names:
            sum_ = " + ".join(f"{A[other][name]!r}*({force[other]})" for other in names if other in force and name in A[other])
            if sum_:
                model["forces"][name] = sum_
    for contact in model.get("contacts", {}).values():
        for key in ("gap", "slip"):
            if key in contact:
                contact[key] = f"{unit}*({substitute(contact[key], replace)})"
    for name in names:
        start = " + ".join(f"{factor!r}*(({old[o].get('start', 0)}) - ({b[o]!r}))" for o, factor in inverse[name].items())
        rate = " + ".join(f"{factor!r}*({old[o].get('rate', 0)})" for o, factor in inverse[name].items())
        model["coordinates"][name] = {"start": start, "rate": rate}
    if "stop" in model["simulation"]:
        model["simulation"]["stop"] = substitute(model["simulation"]["stop"], replace)

    def back(state):
        result = {}
        for name in names:
            result[name] = sum(factor * state[other] for other, factor in A[name].items()) + b[name]
            result[name + "'"] = sum(factor * state[other + "'"] for other, factor in A[name].items())
        return result
    return model, back


def inverted(A, names):
    """of scaled identities and rotations: the transpose over the square of a row"""
    inverse = {name: {} for name in names}
    for name, row in A.items():
        size = sum(factor**2 for factor in row.values())
        for other, factor in row.items():
            inverse[other][name] = factor / size
    return inverse


# with its scale a model is to take the same steps: a power of two leaves rounding alone, which may choose other steps too
EXACT = 1024


def formula_units(model, scaled):
    names, unit = list(model["coordinates"]), EXACT if scaled else 1000
    new, back = changed_coordinates(model, {n: {n: 1 / unit} for n in names}, {n: 0.0 for n in names}, unit=unit)
    if scaled:
        for name in names:
            new["coordinates"][name]["scale"] = str(unit)
    return new, back


def formula_shifted(model, far):
    names = list(model["coordinates"])
    return changed_coordinates(model, {n: {n: 1.0} for n in names}, {n: -far for n in names})


def formula_turned(model, angle=0.5):
    names = list(model["coordinates"])
    A, b = {n: {n: 1.0} for n in names}, {n: 0.0 for n in names}
    if len(names) > 1:
        x, y, c, s = names[0], names[1], math.cos(angle), math.sin(angle)
        A[x], A[y] = {x: c, y: -s}, {x: s, y: c}
    return changed_coordinates(model, A, b)


# -- mechanisms in the plane: another unit of length, another place of the origin, a turned world --------------------------------

def moved_mechanism(model, unit=1, by=(0, 0), angle=0):
    """new = unit R(angle) old + by"""
    model = bare(model)
    c, s = math.cos(angle), math.sin(angle)
    bodies = set(model["bodies"])

    def turned(v, length=unit):
        return [f"{length * c!r}*({v[0]}) - {length * s!r}*({v[1]})", f"{length * s!r}*({v[0]}) + {length * c!r}*({v[1]})"]

    def placed(p):
        v = turned(p)
        return [f"{v[0]} + {by[0]}", f"{v[1]} + {by[1]}"]

    def points(at):
        return [placed(p) for p in at] if isinstance(at[0], list) else placed(at)

    def replace(name, primes):
        body, _, rest = name.partition(".")
        if body not in bodies:
            if rest == "length":
                return f"({name}{primes}/{unit})"
            return None
        x = f"{body}.x{primes}" + ("" if primes else f" - {by[0]}")
        y = f"{body}.y{primes}" + ("" if primes else f" - {by[1]}")
        if rest == "x":
            return f"(({c!r}*({x}) + {s!r}*({y}))/{unit})"
        if rest == "y":
            return f"(({-s!r}*({x}) + {c!r}*({y}))/{unit})"
        if rest == "angle":
            return f"({name}{primes}{'' if primes else f' - {angle}'})"
        return None

    model["gravity"] = turned(model["gravity"])
    for body in model["bodies"].values():
        body["position"] = placed(body["position"])
        body["velocity"] = turned(body.get("velocity", ["0", "0"]))
        body["angle"] = f"({body.get('angle', 0)}) + {angle}"
        body["inertia"] = f"{unit**2}*({body['inertia']})"
    for joint in model.get("joints", {}).values():
        if "at" in joint:
            joint["at"] = points(joint["at"])
        if "axis" in joint:
            joint["axis"] = turned(joint["axis"], 1)
        if "length_limits" in joint:
            joint["length_limits"] = [f"{unit}*({x})" for x in joint["length_limits"]]
    for force in model.get("forces", {}).values():
        size = unit if "force" in force else unit**2  # a torque, and friction of a pin
        if "value" in force:
            value = in_expressions(force["value"], replace)
            force["value"] = turned(value) if isinstance(value, list) else f"{size}*({value})"
        if "size" in force:
            force["size"] = f"{size}*({force['size']})"
        if "at" in force:
            force["at"] = points(force["at"])
    for contact in model.get("contacts", {}).values():
        for key in ("gap", "slip"):
            if key in contact:
                contact[key] = f"{unit}*({substitute(contact[key], replace)})"

    def back(state):
        result = {}
        for name, value in state.items():
            body, _, rest = name.partition(".")
            p = name.endswith("'")
            rest = rest.rstrip("'")
            if rest not in ("x", "y", "angle"):
                continue
            if rest == "angle":
                result[name] = value - (0 if p else angle)
                continue
            x, y = (state[f"{body}.{a}" + ("'" if p else "")] - (0 if p else by[k]) for k, a in enumerate("xy"))
            result[name] = (c * x + s * y if rest == "x" else -s * x + c * y) / unit
        return result
    return model, back


# -- mechanisms in space -------------------------------------------------------------------------------------------------------

def moved_in_space(model, unit=1, by=(0, 0, 0), turn=(1, 0, 0, 0)):
    """new = unit R(turn) old + by, turn a quaternion"""
    model = bare(model)
    w, x, y, z = turn
    R = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    bodies = set(model["bodies"])

    def sum_of(factors, terms):
        return " + ".join(f"({factor!r})*({term})" for factor, term in zip(factors, terms) if factor != 0) or "0"

    def turned(v, length=unit):
        return [sum_of([length * r for r in row], v) for row in R]

    def placed(p):
        return [f"{a} + {b}" for a, b in zip(turned(p), by)]

    def points(at):
        return [placed(p) for p in at] if isinstance(at[0], list) else placed(at)

    def replace(name, primes):
        body, _, rest = name.partition(".")
        if body not in bodies:
            return f"({name}{primes}/{unit})" if rest == "length" else None
        if rest not in ("x", "y", "z"):
            return None
        k = "xyz".index(rest)
        old = [f"{body}.{axis}{primes}" + ("" if primes else f" - {shift}") for axis, shift in zip("xyz", by)]
        return f"({sum_of([R[i][k] / unit for i in range(3)], old)})"

    model["gravity"] = turned(model["gravity"])
    for body in model["bodies"].values():
        body["position"] = placed(body["position"])
        body["velocity"] = turned(body.get("velocity", ["0", "0", "0"]))
        a, b, c, d = body.get("orientation", ["1", "0", "0", "0"])
        body["orientation"] = [sum_of([w, -x, -y, -z], [a, b, c, d]), sum_of([x, w, -z, y], [a, b, c, d]),
                               sum_of([y, z, w, -x], [a, b, c, d]), sum_of([z, -y, x, w], [a, b, c, d])]
        inertia = body["inertia"]
        body["inertia"] = [f"{unit**2}*({i})" for i in inertia] if isinstance(inertia, list) else f"{unit**2}*({inertia})"
    slides = {name for name, joint in model.get("joints", {}).items() if "prismatic" in joint or "distance" in joint}
    for joint in model.get("joints", {}).values():
        if "at" in joint:
            joint["at"] = points(joint["at"])
        if "axis" in joint:
            joint["axis"] = turned(joint["axis"], 1)
        if "length_limits" in joint:
            joint["length_limits"] = [f"{unit}*({x})" for x in joint["length_limits"]]
    for force in model.get("forces", {}).values():
        along = force.get("friction", force.get("actuator")) in slides or "force" in force or "spring_damper" in force
        size = {"stiffness": 1, "damping": 1, "size": unit, "limit": unit, "value": unit} if along else \
               {"stiffness": unit**2, "damping": unit**2, "size": unit**2, "limit": unit**2, "value": unit**2}
        for key in set(size) & set(force):
            value = in_expressions(force[key], replace)
            force[key] = turned(value, size[key]) if isinstance(value, list) else f"{size[key]}*({value})"
        if "length" in force:
            force["length"] = f"{unit}*({force['length']})"
        if "at" in force:
            force["at"] = points(force["at"])
    for contact in model.get("contacts", {}).values():
        for key in ("gap", "slip"):
            if key in contact:
                lines = contact[key] if isinstance(contact[key], list) else [contact[key]]
                lines = [f"{unit}*({substitute(line, replace)})" for line in lines]
                contact[key] = lines if isinstance(contact[key], list) else lines[0]

    def back(state):
        result = dict(state)  # rates of turn are those of the body's own frame
        for body in {name.partition(".")[0] for name in state}:
            names = [f"{body}.{axis}" for axis in "xyz"]
            if f"{body}.qw" not in state:
                continue
            for k, name in enumerate(names):
                result[name] = sum(R[i][k] * (state[names[i]] - by[i]) for i in range(3)) / unit
                result[f"{body}.v{name[-1]}'"] = sum(R[i][k] * state[f"{body}.v{other[-1]}'"] for i, other in enumerate(names)) / unit
            a, b, c, d = (state[f"{body}.q{k}"] for k in "wxyz")
            for k, value in zip("wxyz", (w * a + x * b + y * c + z * d, w * b - x * a - y * d + z * c,
                                         w * c + x * d - y * a - z * b, w * d - x * c + y * b - z * a)):
                result[f"{body}.q{k}"] = value
        return result
    return model, back


def rewritings(model):
    """name to function"""
    ways = {"order reversed": reversed_order, "contact that never closes": idle_contact, "start shifted": later, "twice": twice}
    if is_formula(model):
        ways |= {"units": lambda m: formula_units(m, False), "units with their scale": lambda m: formula_units(m, True),
                 "place shifted": lambda m: formula_shifted(m, 7.0), "place turned": formula_turned}
    elif str(model.get("dimension")) == "2":
        ways |= {"units": lambda m: moved_mechanism(m, unit=1000),
                 "units with their scale": lambda m: with_length_scale(moved_mechanism(m, unit=EXACT)),
                 "place shifted": lambda m: moved_mechanism(m, by=(7, -3)), "place turned": lambda m: moved_mechanism(m, angle=0.5)}
    else:
        ways |= {"units": lambda m: moved_in_space(m, unit=1000),
                 "units with their scale": lambda m: with_length_scale(moved_in_space(m, unit=EXACT)),
                 "place shifted": lambda m: moved_in_space(m, by=(7, -3, 2)),
                 "place turned": lambda m: moved_in_space(m, turn=(0.5, -0.5, 0.1, 0.7))}
    return ways


def with_length_scale(pair):
    model, back = pair
    return model | {"length_scale": str(EXACT)}, back
