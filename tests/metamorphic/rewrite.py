"""Models rewritten so that their motion has to stay the same. A rewriting returns the new model and a function that brings a state of
its results (names to values) back to the names and values of the original."""
import copy
import fnmatch
import itertools
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


def unrolled(model):
    """with every repeated part written out"""
    model = copy.deepcopy(model)
    known = {name: float(value) for name, value in model.get("parameters", {}).items() if re.fullmatch(r"[-+]?[\d.]+(e[-+]?\d+)?", value)}
    for part in ("bodies", "beams", "joints", "forces", "contacts"):
        written = {}
        for name, value in model.get(part, {}).items():
            ranges = value.pop("repeat", {}) if isinstance(value, dict) else {}
            spans = [range(*(int(eval(str(end), {}, known)) + k for k, end in enumerate(ends))) for ends in ranges.values()]
            for numbers in itertools.product(*spans):
                counters = dict(zip(ranges, numbers))

                def named(text):
                    return re.sub(r"\{([^}]*)\}", lambda m: str(eval(m[1], {}, counters)), text)

                def each(node):
                    if isinstance(node, dict):
                        return {key: each(inner) for key, inner in node.items()}
                    if isinstance(node, list):
                        return [each(inner) for inner in node]
                    return substitute(named(node), lambda word, primes: str(counters[word]) if word in counters else None)
                written[named(name)] = each(value) if counters else value
        if written:
            model[part] = written
    return model


def bare(model):
    """without what is only looked at"""
    model = {key: value for key, value in unrolled(model).items() if key not in ("outputs", "drawing")}
    contacts = model.get("contacts", {}).values()
    for contact in contacts:
        if "among" in contact:  # copies of the bodies are to touch each other alone
            contact["among"] = [body for body in model["bodies"] if any(fnmatch.fnmatch(body, each) for each in contact["among"])]
    touching = {name for contact in contacts for key in ("between", "among") for name in contact.get(key, [])}
    for name, body in model.get("bodies", {}).items():
        if name not in touching:
            body.pop("shapes", None)
    for contact in contacts:
        contact.pop("at", None)
    return model


# -- both kinds of model -------------------------------------------------------------------------------------------------------

def reversed_order(model):
    model = bare(model)
    for part in ("coordinates", "forces", "constraints", "contacts", "bodies", "beams", "joints"):
        if part in model:
            model[part] = dict(reversed(model[part].items()))
    if "joints" in model:  # a gear comes after the joints it names
        model["joints"] = dict(sorted(model["joints"].items(), key=lambda item: "gear" in item[1]))
    return model, same


def idle_contact(model):
    model = bare(model)
    for contact in model.get("contacts", {}).values():
        if "among" in contact:  # a body that is far from the others
            plane = str(model.get("dimension")) == "2"
            model["bodies"]["idle"] = {"mass": "1", "inertia": "1" if plane else ["1", "1", "1"], "position": ["1e4"] * (2 if plane else 3),
                                       "shapes": [{"circle" if plane else "sphere": "0.1"}]}
            contact["among"].append("idle")
            return model, same
    first = next(iter(model["coordinates"])) if is_formula(model) else next(b for b in model["bodies"] if b != "ground") + ".x"
    model.setdefault("contacts", {})["idle"] = {"gap": f"{first} + 1e4", "restitution": "0.5"}
    return model, same


def later(model, shift=5):
    model = bare(model)

    def replace(name, primes):
        return f"(t - {shift})" if name == "t" else None
    kept = {key: model.pop(key) for key in ("simulation", "parameters", "tables") if key in model}
    model = in_expressions(model, replace) | kept
    simulation = model["simulation"]
    times = {key: f"({simulation[key]}) + {shift}" for key in ("end", "until") if key in simulation}
    model["simulation"] = simulation | {"start": str(shift)} | times
    return model, same


def twice(model):
    model = bare(model)
    ground = model.get("bodies", {}).pop("ground", None)  # there is one alone
    parts = [part for part in ("coordinates", "expressions", "states", "forces", "constraints", "contacts", "bodies", "beams", "joints") if part in model]
    mine = {name for part in parts if part in ("coordinates", "expressions", "states", "bodies", "beams", "joints") for name in model[part]}

    def replace(name, primes):
        head, dot, rest = name.partition(".")
        return f"{head}_b{dot}{rest}{primes}" if head in mine else None
    for part in parts:
        model[part] |= {f"{name}_b": in_expressions(value, replace) for name, value in model[part].items()}
    for energy in ("kinetic_energy", "potential_energy"):
        if energy in model:
            model[energy] = f"({model[energy]}) + ({substitute(model[energy], replace)})"
    if ground:
        model["bodies"] = {"ground": ground} | model["bodies"]
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

    for key in ("kinetic_energy", "potential_energy", "constraints", "expressions", "states"):
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
                texts = contact[key] if isinstance(contact[key], list) else [contact[key]]  # two slips in space
                texts = [f"{unit}*({substitute(text, replace)})" for text in texts]
                contact[key] = texts if isinstance(contact[key], list) else texts[0]
    for name in names:
        start = " + ".join(f"{factor!r}*(({old[o].get('start', 0)}) - ({b[o]!r}))" for o, factor in inverse[name].items())
        rate = " + ".join(f"{factor!r}*({old[o].get('rate', 0)})" for o, factor in inverse[name].items())
        model["coordinates"][name] = {"start": start, "rate": rate} | {key: old[name][key] for key in old[name] if key in ("scale", "unit")}
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
            new["coordinates"][name]["scale"] = f"{unit}*({(model['coordinates'][name] or {}).get('scale', 1)})"
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


# -- mechanisms: another unit of length, another place of the origin, a turned world ---------------------------------------------

class World:
    """new = unit R old + by; turn is an angle in the plane and a quaternion in space"""

    def __init__(self, model, unit=1, by=None, turn=None):
        self.plane = str(model.get("dimension")) == "2"
        self.axes = "xy" if self.plane else "xyz"
        self.unit, self.by = unit, by or (0,) * len(self.axes)
        self.turn = turn or (0 if self.plane else (1, 0, 0, 0))
        self.bodies, self.joints = {"ground", *model["bodies"], *model.get("beams", {})}, model.get("joints", {})
        if self.plane:
            c, s = math.cos(self.turn), math.sin(self.turn)
            self.R = [[c, -s], [s, c]]
        else:
            w, x, y, z = self.turn
            self.R = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                      [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                      [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]

    # vectors, places, sizes
    @staticmethod
    def sum_of(factors, terms):
        return " + ".join(f"({factor!r})*({term})" for factor, term in zip(factors, terms) if factor != 0) or "0"

    def turned(self, v, size=1):
        return [self.sum_of([size * r for r in row], v) for row in self.R]

    def placed(self, p):
        if isinstance(p, str):  # a point's name
            return p
        if isinstance(p[0], list) or str(p[0]).partition(".")[0] in self.bodies:
            return [self.placed(each) for each in p]
        return [f"{a} + ({b})" for a, b in zip(self.turned(p, self.unit), self.by)]

    def sized(self, x, power=1):
        if isinstance(x, list):
            return [self.sized(each, power) for each in x]
        return f"{self.unit**power}*({x})"

    def joint_turn(self, joint):
        """what the world's turn adds to the angle of a joint in the plane: that of its second body less that of its first"""
        pair = next((joint[kind] for kind in ("revolute", "prismatic", "fixed", "slot") if kind in joint), None)
        if not self.plane or not pair:
            return 0
        first, second = (end.partition(".")[0] == "ground" for end in pair)
        return self.turn * (first - second)

    def replace(self, name, primes):
        head, _, rest = name.partition(".")
        point, _, axis = name.rpartition(".")
        shift, rate = not primes, ""
        if head in self.joints and rest == "length":
            return f"({name}{primes}/{self.unit})"
        if head in self.joints and rest == "angle" and self.joint_turn(self.joints[head]) and shift:
            return f"({name} - ({self.joint_turn(self.joints[head])}))"
        if head not in self.bodies:
            return None
        if axis == "angle" and self.plane and shift:
            return f"({name} - {self.turn})"
        if not self.plane and axis in ("qw", "qx", "qy", "qz") and shift:
            return f"({self.attitude(point)['wxyz'.index(axis[1])]})"
        if not self.plane and axis in ("vx", "vy", "vz"):
            axis, primes, shift, rate = axis[1], "", False, "v"
        if axis not in self.axes:
            return None
        k = self.axes.index(axis)
        old = [f"{point}.{rate}{other}{primes}" + (f" - ({b})" if shift else "") for other, b in zip(self.axes, self.by)]
        return f"({self.sum_of([self.R[i][k] / self.unit for i in range(len(old))], old)})"

    def attitude(self, body):
        """the old quaternion by the new one's words: the world's turn undone"""
        w, x, y, z = self.turn
        new = [f"{body}.q{k}" for k in "wxyz"]
        return [self.sum_of(row, new) for row in ([w, x, y, z], [-x, w, z, -y], [-y, -z, w, x], [-z, y, -x, w])]

    def expression(self, node):
        return in_expressions(node, self.replace)

    # parts of the model
    def body(self, name, body):
        ground = name == "ground"
        for point, at in body.get("points", {}).items():
            body["points"][point] = self.placed(at) if ground else self.sized(at)
        for shape in body.get("shapes", []):
            for key in set(shape) & {"box", "circle", "sphere", "capsule", "cylinder", "polygon", "segment"}:
                shape[key] = self.sized(shape[key])
            for kind, keys in ("cam", ("radius",)), ("curve", ("x", "y")):
                for key in keys if kind in shape else ():
                    shape[kind][key] = self.sized(shape[kind][key])
            if not ground:
                if "at" in shape:
                    shape["at"] = self.sized(shape["at"])
                continue
            shape["at"] = self.placed(shape.get("at", ["0"] * len(self.axes)))
            flat = next((key for key in ("half_plane", "half_space") if key in shape), None)
            if flat:
                shape[flat] = self.turned(shape[flat])
            elif self.plane:
                shape["angle"] = f"({shape.get('angle', 0)}) + {self.turn}"
            else:
                shape["orientation"] = self.orientation(shape.get("orientation", ["1", "0", "0", "0"]))
        if ground:
            return
        zero = ["0"] * len(self.axes)
        body["position"] = self.placed(body.get("position", zero))
        body["velocity"] = self.turned(body.get("velocity", zero), self.unit)
        body["inertia"] = self.sized(body["inertia"], 2)
        if self.plane:
            body["angle"] = f"({body.get('angle', 0)}) + {self.turn}"
        else:
            body["orientation"] = self.orientation(body.get("orientation", ["1", "0", "0", "0"]))

    def beam(self, beam):
        for key in set(beam) & {"from", "to"}:
            beam[key] = self.placed(beam[key])
        if "along" in beam:
            beam["along"] = [self.placed(point) for point in beam["along"]]
        if "arc" in beam:
            beam["arc"]["centre"] = self.placed(beam["arc"]["centre"])
            if "axis" in beam["arc"]:
                beam["arc"]["axis"] = self.turned(beam["arc"]["axis"])
            if "rise" in beam["arc"]:
                beam["arc"]["rise"] = self.sized(beam["arc"]["rise"])
        if "normal" in beam:
            beam["normal"] = self.turned(beam["normal"])
        if "velocity" in beam:
            beam["velocity"] = self.turned(beam["velocity"], self.unit)
        if "angular_velocity" in beam and not self.plane:
            beam["angular_velocity"] = self.turned(beam["angular_velocity"])
        powers = {"E": -1, "G": -1, "density": -3, "EA": 1, "GA": 1, "EI": 3, "GJ": 3, "mass": -1, "inertia": 1,
                  "rectangle": 1, "circle": 1, "tube": 1}
        for key in set(powers) & set(beam["section"]):
            beam["section"][key] = self.sized(beam["section"][key], powers[key])
        for load in beam.get("loads", []):  # per length
            if "torque" in load:
                load["torque"] = self.sized(self.expression(load["torque"]), 1)
            if "force" in load:
                force = self.expression(load["force"])
                load["force"] = force if load.get("frame") == "body" else self.turned(force)

    def orientation(self, old):
        if isinstance(old, dict):
            x, y, z = old["axis"]
            part = f"sin(({old['angle']})/2)/sqrt(({x})^2 + ({y})^2 + ({z})^2)"
            old = [f"cos(({old['angle']})/2)", *(f"({each})*{part}" for each in (x, y, z))]
        w, x, y, z = self.turn
        return [self.sum_of(row, old) for row in ([w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w])]

    def joint(self, joint):
        turn = self.joint_turn(joint)
        if "at" in joint:
            joint["at"] = self.placed(joint["at"])
        if "axis" in joint and joint.get("axis_frame") != "body":
            joint["axis"] = self.turned(joint["axis"])
        for key in set(joint) & {"length_limits", "clearance", "radius", "block", "length", "pitch"}:
            joint[key] = self.sized(joint[key])
        if turn and "angle" in joint:
            joint["angle"] = f"({joint['angle']}) + ({turn})"
        if turn and "angle_limits" in joint:
            joint["angle_limits"] = [f"({x}) + ({turn})" for x in joint["angle_limits"]]

    def force(self, force):
        joint = self.joints.get(next((force[kind] for kind in ("friction", "actuator", "torsional_spring_damper")
                                      if isinstance(force.get(kind), str)), None), {})
        along = "prismatic" in joint or "distance" in joint or "force" in force or "spring_damper" in force
        size = {"stiffness": 0, "damping": 0, "size": 1, "limit": 1, "value": 1} if along else dict.fromkeys(
            ("stiffness", "damping", "size", "limit", "value"), 2)
        for key in set(size) & set(force):
            value = self.expression(force[key])
            vector = isinstance(value, list) and force.get("frame") != "body"
            force[key] = self.turned(value, self.unit**size[key]) if vector else self.sized(value, size[key])
        if "coefficient" in force:  # friction that follows what a joint carries
            force["radius"] = self.sized(force["radius"])
        if "length" in force:
            force["length"] = self.sized(self.expression(force["length"]))
        if "angle" in force:
            force["angle"] = f"({self.expression(force['angle'])}) + ({self.joint_turn(joint)})"
        if "at" in force:
            force["at"] = self.placed(force["at"])

    def contact(self, contact):
        for key in set(contact) & {"gap", "slip"}:
            contact[key] = self.sized(self.expression(contact[key]))
        for key in set(contact) & {"rolling_friction", "spinning_friction"}:  # lengths
            contact[key] = self.sized(contact[key])
        if "stiffness" in contact:  # compliant: forces per depth to a power
            exponent = contact.get("exponent", 1.5 if contact.get("law") in ("hertz", "hunt_crossley") else 1)
            contact["stiffness"] = f"({contact['stiffness']})*{self.unit}^(1 - ({exponent}))"
            smoothed = {"regularised": ["velocity"], "stribeck": ["velocity", "v_s"], "lugre": ["v_s"]}
            for key in smoothed.get(contact.get("friction_law", "regularised" if "friction" in contact else ""), []):
                contact[key] = self.sized(contact.get(key, "1e-3"))
        if contact.get("law") == "hunt_crossley" and "damping" in contact:
            contact["damping"] = self.sized(contact["damping"], -1)
        for key in set(contact) & {"sigma0", "sigma1", "sigma2"}:
            contact[key] = self.sized(contact[key], -1)

    def back(self, state):
        result = dict(state)
        for body in {name.rpartition(".")[0] for name in state if name.endswith(".x")}:
            for prime in ("", "'"):
                rate = prime and not self.plane
                names = [f"{body}.{'v' if rate else ''}{axis}{prime}" for axis in self.axes]
                old = [state[name] - (0 if prime else b) for name, b in zip(names, self.by)]
                for k, name in enumerate(names):
                    result[name] = sum(self.R[i][k] * old[i] for i in range(len(old))) / self.unit
            if self.plane:
                result[f"{body}.angle"] -= self.turn
                continue
            w, x, y, z = self.turn  # rates of turn are those of the body's own frame
            a, b, c, d = (state[f"{body}.q{k}"] for k in "wxyz")
            for k, value in zip("wxyz", (w * a + x * b + y * c + z * d, w * b - x * a - y * d + z * c,
                                         w * c + x * d - y * a - z * b, w * d - x * c + y * b - z * a)):
                result[f"{body}.q{k}"] = value
        return result


def moved(model, **how):
    model = bare(model)
    world = World(model, **how)
    model["gravity"] = world.turned(model.get("gravity", ["0"] * len(world.axes)), world.unit)
    for key in ("expressions", "states"):
        if key in model:
            model[key] = world.expression(model[key])
    if "stop" in model["simulation"]:
        model["simulation"]["stop"] = world.expression(model["simulation"]["stop"])
    for name, body in model["bodies"].items():
        world.body(name, body)
    for beam in model.get("beams", {}).values():
        world.beam(beam)
    for joint in model.get("joints", {}).values():
        world.joint(joint)
    for force in model.get("forces", {}).values():
        world.force(force)
    for contact in model.get("contacts", {}).values():
        world.contact(contact)
    return model, world.back


def rewritings(model):
    """name to function"""
    ways = {"order reversed": reversed_order, "contact that never closes": idle_contact, "start shifted": later, "twice": twice}
    if is_formula(model):
        ways |= {"units": lambda m: formula_units(m, False), "units with their scale": lambda m: formula_units(m, True),
                 "place shifted": lambda m: formula_shifted(m, 7.0), "place turned": formula_turned}
    else:
        plane = str(model.get("dimension")) == "2"
        ways |= {"units": lambda m: moved(m, unit=1000),
                 "units with their scale": lambda m: with_length_scale(moved(m, unit=EXACT)),
                 "place shifted": lambda m: moved(m, by=(7, -3) if plane else (7, -3, 2)),
                 "place turned": lambda m: moved(m, turn=0.5 if plane else (0.5, -0.5, 0.1, 0.7))}
    return ways


def with_length_scale(pair):
    model, back = pair
    return model | {"length_scale": f"{EXACT}*({model.get('length_scale', 1)})"}, back
