#include "io/urdf.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/model_file.hpp"
#include "math/rotation.hpp"
#include "support/source_folder.hpp"

namespace escapement {
namespace {

std::string robot(const std::string& inside) { return "<robot name=\"r\">" + inside + "</robot>"; }
const std::string mass =
    "<inertial><mass value=\"2\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
std::string link(const std::string& name, const std::string& inside = mass) {
  return "<link name=\"" + name + "\">" + inside + "</link>";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const std::string& inside = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/>" + inside + "</joint>";
}

TEST(Urdf, TheExampleBecomesAModelThatReads) {
  const Import import = import_urdf(escapement::testing::source_folder() + "/examples/robot_arm.urdf");
  const Model model = read_model("robot_arm.yaml", import.yaml);
  EXPECT_EQ(model.name, "robot arm");
  // column, upper arm, forearm with hand, two fingers
  EXPECT_EQ(model.system->dim().v, 5 * 6);
  EXPECT_EQ(model.system->dim().bilateral, 5 * 5 + 1);
  EXPECT_EQ(model.system->dim().unilateral, 6);
  EXPECT_TRUE(import.warnings.empty());
  // the file beside it is this import
  std::ifstream file(escapement::testing::source_folder() + "/examples/robot_arm.yaml");
  const std::string written((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(written, import.yaml);
}

TEST(Urdf, PlacesLinksThroughTheTree) {
  const std::string text =
      robot(link("base", "") + link("a") + link("b") +
            joint("j1", "revolute", "base", "a",
                  "<origin xyz=\"1 0 0\" rpy=\"0 0 1.5707963267948966\"/><axis xyz=\"0 0 1\"/>") +
            joint("j2", "prismatic", "a", "b",
                  "<origin xyz=\"2 0 0\"/><axis xyz=\"1 0 0\"/><limit lower=\"-1\" upper=\"3\"/>"));
  const Model model = read_model("r.yaml", import_urdf("r.urdf", text).yaml);
  const Vec& q = model.start.q;
  EXPECT_LT((q.segment<3>(0) - Vec3(1, 0, 0)).norm(), 1e-15);
  EXPECT_LT((q.segment<3>(7) - Vec3(1, 2, 0)).norm(), 1e-15);
  // the axis of j2 is turned too: b slides along y
  Terms T;
  model.system->prepare(T);
  State s = model.start;
  s.q[8] += 0.4;
  model.system->evaluate(s, Need::gap, T);
  EXPECT_LT(T.g.head(model.system->dim().bilateral).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_NEAR(T.g[model.system->dim().bilateral], 1.4, 1e-14);      // above the lower limit
  EXPECT_NEAR(T.g[model.system->dim().bilateral + 1], 2.6, 1e-14);  // below the upper one
}

// roll, pitch, yaw: about x, then y, then z of the frame outside
TEST(Urdf, TurnsInTheOrderOfRollPitchYaw) {
  const std::string text =
      robot(link("base", "") + link("a") + joint("j", "continuous", "base", "a", "<origin rpy=\"0.3 0.5 -0.7\"/>"));
  const Model model = read_model("r.yaml", import_urdf("r.urdf", text).yaml);
  const double cr = std::cos(0.3), sr = std::sin(0.3), cp = std::cos(0.5), sp = std::sin(0.5), cy = std::cos(-0.7),
               sy = std::sin(-0.7);
  Mat3 expected;
  expected << cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,  //
      sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,          //
      -sp, cp * sr, cp * cr;
  EXPECT_LT((rotation_matrix(model.start.q.segment<4>(3)) - expected).norm(), 1e-14);
}

std::string limit(double lower, double upper) {
  return "<axis xyz=\"0 1 0\"/><limit lower=\"" + std::to_string(lower) + "\" upper=\"" + std::to_string(upper) +
         "\" effort=\"9\" velocity=\"2\"/>";
}
const std::string arm_mass =
    "<inertial><origin xyz=\"1 0 0\"/><mass value=\"2\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>";

// each row of g by its name, at the start
double gap(const Model& model, const std::string& name) {
  Terms T;
  model.system->prepare(T);
  model.system->evaluate(model.start, Need::gap, T);
  const auto& names = model.system->names().multipliers;
  const auto it = std::find(names.begin(), names.end(), name);
  EXPECT_NE(it, names.end()) << name;
  return T.g[it - names.begin()];
}

TEST(Urdf, StartsInTheMiddleOfLimitsThatExcludeZero) {
  const std::string text = robot(link("base", "") + link("a", arm_mass) + link("b", arm_mass) +
                                 joint("j1", "revolute", "base", "a", limit(-3, -1)) +
                                 joint("j2", "prismatic", "a", "b", "<origin xyz=\"1 0 0\"/>" + limit(0.25, 0.75)));
  const Import import = import_urdf("r.urdf", text);
  ASSERT_EQ(import.warnings.size(), 2u);
  EXPECT_NE(import.warnings[0].find("joint 'j1' starts at -2 and not at 0"), std::string::npos) << import.warnings[0];
  const Model model = read_model("r.yaml", import.yaml);
  // turned by -2 about y: x goes to (cos 2, 0, sin 2), and b slides along y
  EXPECT_LT((model.start.q.segment<3>(0) - Vec3(std::cos(2), 0, std::sin(2))).norm(), 1e-15);
  EXPECT_LT((model.start.q.segment<3>(7) - Vec3(2 * std::cos(2), 0.5, 2 * std::sin(2))).norm(), 1e-15);
  EXPECT_NEAR(gap(model, "joint_j1.angle_min"), 1, 1e-14);
  EXPECT_NEAR(gap(model, "joint_j1.angle_max"), 1, 1e-14);
  EXPECT_NEAR(gap(model, "joint_j2.length_min"), 0.25, 1e-14);
}

TEST(Urdf, FollowersStandWhereTheirOffsetPutsThem) {
  const std::string text = robot(
      link("base", "") + link("a", arm_mass) + link("b", arm_mass) + link("c", arm_mass) + link("d", arm_mass) +
      joint("j1", "revolute", "base", "a", "<mimic joint=\"j2\" multiplier=\"-2\" offset=\"0.5\"/>" + limit(-9, 9)) +
      joint("j2", "revolute", "base", "b", limit(1, 2)) +
      joint("j3", "prismatic", "base", "c", "<mimic joint=\"j1\" multiplier=\"0.1\"/>" + limit(0, 1)) +
      joint("j4", "revolute", "base", "d", "<mimic joint=\"j1\" multiplier=\"0\" offset=\"0.3\"/>" + limit(-1, 1)));
  const Import import = import_urdf("r.urdf", text);
  const Model model = read_model("r.yaml", import.yaml);
  EXPECT_LT((model.start.q.segment<3>(0) - Vec3(std::cos(2.5), 0, std::sin(2.5))).norm(), 1e-15);
  EXPECT_NEAR(gap(model, "joint_j1.angle_max"), 11.5, 1e-14);
  // j3 stands at -0.25, outside its limits; j4 is held
  EXPECT_LT((model.start.q.segment<3>(14) - Vec3(1, -0.25, 0)).norm(), 1e-15);
  EXPECT_EQ(model.system->dim().v, 18);
  EXPECT_EQ(model.system->dim().bilateral, 3 * 5 + 2);
  EXPECT_EQ(model.system->dim().unilateral, 4);
  std::string warnings;
  for (const std::string& warning : import.warnings) warnings += warning + "\n";
  EXPECT_NE(warnings.find("joint 'j3' follows joint 'j1' to -0.25, outside its limits"), std::string::npos) << warnings;
  EXPECT_NE(warnings.find("joint 'j4' cannot move"), std::string::npos) << warnings;
  // turning b by d turns a by -2 d
  State s = model.start;
  const auto turn = [&](int body, double angle) {
    const Mat3 R = rotation_matrix(quaternion(Vec3::UnitY(), angle));
    s.q.segment<3>(7 * body) = R * model.start.q.segment<3>(7 * body);
    s.q.segment<4>(7 * body + 3) =
        product(quaternion(Vec3::UnitY(), angle), Vec4(model.start.q.segment<4>(7 * body + 3)));
  };
  turn(0, -0.4);
  turn(1, 0.2);
  s.q[15] += -0.04;
  Terms T;
  model.system->prepare(T);
  model.system->evaluate(s, Need::gap, T);
  EXPECT_LT(T.g.head(17).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Urdf, DampingFrictionAndNames) {
  // names that mean something elsewhere, and planar joints, which have no single coordinate to damp
  const std::string dynamics = "<dynamics damping=\"3\" friction=\"0.5\"/>";
  const std::string text =
      robot(link("base", "") + link("null") + link("joint p") + link("ground") + link("sin") +
            joint("p", "planar", "base", "null", "<axis xyz=\"0 0 1\"/>" + dynamics) +
            joint("q", "continuous", "null", "joint p", "<axis xyz=\"0 0 1\"/>" + dynamics) +
            joint("r", "prismatic", "null", "ground", limit(-1, 1) + dynamics) + joint("s", "floating", "base", "sin"));
  const Import import = import_urdf("r.urdf", text);
  ASSERT_EQ(import.warnings.size(), 1u);
  EXPECT_NE(import.warnings[0].find("the damping and friction of the planar joint 'p' are left out"),
            std::string::npos);
  const Model model = read_model("r.yaml", import.yaml);
  EXPECT_EQ(model.system->dim().v, 4 * 6);
  EXPECT_EQ(model.system->dim().bilateral, 3 + 5 + 5);
  State s = model.start;
  s.v.setZero();
  s.v[11] = 2;    // the second body about z
  s.v[13] = 0.5;  // the third along y
  Terms T;
  model.system->prepare(T);
  model.system->evaluate(s, Need::force, T);
  EXPECT_NEAR(T.f[11], -3 * 2 - 0.5, 1e-12);
  EXPECT_NEAR(T.f[13], -3 * 0.5 - 0.5, 1e-12);
  EXPECT_NEAR(T.f[5], 3 * 2 + 0.5, 1e-12);
}

TEST(Urdf, LimitsThatLeaveNoRoom) {
  // equal ones hold the joint, at their value; the wrong way round they are left out
  const std::string text =
      robot(link("base", "") + link("a", arm_mass) + link("b", arm_mass) + link("c", arm_mass) +
            joint("j1", "revolute", "base", "a", limit(1, -1)) + joint("j2", "revolute", "a", "b", limit(0.5, 0.5)) +
            joint("j3", "continuous", "b", "c", "<axis xyz=\"0 1 0\"/>"));
  const Import import = import_urdf("r.urdf", text);
  ASSERT_EQ(import.warnings.size(), 2u);
  EXPECT_NE(import.warnings[0].find("the lower limit of joint 'j1' is above the upper one"), std::string::npos);
  EXPECT_NE(import.warnings[1].find("joint 'j2' cannot move, because its limits are equal"), std::string::npos);
  const Model model = read_model("r.yaml", import.yaml);
  EXPECT_EQ(model.system->dim().v, 12);
  EXPECT_EQ(model.system->dim().unilateral, 0);
  // a and b, turned by 0.5 against each other
  EXPECT_LT((model.start.q.segment<3>(0) - Vec3(0.5 + 0.5 * std::cos(0.5), 0, -0.5 * std::sin(0.5))).norm(), 1e-15);
}

TEST(Urdf, WeldsFixedLinksTogether) {
  // two point-like masses 1 m apart, welded: the centre is between them, the inertia grows by m d^2
  const std::string text =
      robot(link("base", "") + link("a") + link("b") + joint("j1", "continuous", "base", "a", "<axis xyz=\"0 0 1\"/>") +
            joint("j2", "fixed", "a", "b", "<origin xyz=\"1 0 0\"/>"));
  const Model model = read_model("r.yaml", import_urdf("r.urdf", text).yaml);
  EXPECT_EQ(model.system->dim().v, 6);
  EXPECT_NEAR(model.start.q[0], 0.5, 1e-15);
  Terms T;
  model.system->prepare(T);
  model.system->evaluate(model.start, Need::mass, T);
  EXPECT_NEAR(T.M(0, 0), 4, 1e-15);
  EXPECT_NEAR(T.M(3, 3), 2, 1e-14);
  EXPECT_NEAR(T.M(4, 4), 2 + 2 * 2 * 0.25, 1e-14);
}

TEST(Urdf, AMasslessLinkHasTheMassThatIsWeldedToIt) {
  const std::string text =
      robot(link("base", "") + link("a", "<inertial><origin xyz=\"0 3 0\"/><mass value=\"0\"/></inertial>") +
            link("b", arm_mass) + link("c", "") + joint("j1", "continuous", "base", "a") +
            joint("j2", "fixed", "a", "b", "<origin xyz=\"1 0 0\"/>") + joint("j3", "continuous", "b", "c"));
  const Import import = import_urdf("r.urdf", text);
  ASSERT_EQ(import.warnings.size(), 1u);
  EXPECT_NE(import.warnings[0].find("link 'c' moves but has no mass"), std::string::npos) << import.warnings[0];
  const Model model = read_model("r.yaml", import.yaml);
  EXPECT_LT((model.start.q.segment<3>(0) - Vec3(2, 0, 0)).norm(), 1e-15);
  Terms T;
  model.system->prepare(T);
  model.system->evaluate(model.start, Need::mass, T);
  EXPECT_EQ(T.M(0, 0), 2);
  EXPECT_NEAR(T.M(4, 4), 1, 1e-14);
  EXPECT_EQ(T.M(6, 6), 1e-3);
}

TEST(Urdf, TurnsTheInertiaWithItsOrigin) {
  // a quarter turn about z: what is about x of the origin is about y of the link
  const std::string turned =
      "<inertial><origin xyz=\"0 0 1\" rpy=\"0 0 1.5707963267948966\"/><mass value=\"2\"/>"
      "<inertia ixx=\"1\" iyy=\"1.5\" izz=\"2\" ixy=\"0.1\"/></inertial>";
  const std::string text =
      robot(link("base", "") + link("a", turned) + joint("j", "continuous", "base", "a", "<origin rpy=\"0.3 0 0\"/>"));
  const Model model = read_model("r.yaml", import_urdf("r.urdf", text).yaml);
  const Mat3 R = rotation_matrix(model.start.q.segment<4>(3)), tilt = rotation_matrix(quaternion(Vec3::UnitX(), 0.3));
  EXPECT_LT((model.start.q.segment<3>(0) - tilt * Vec3(0, 0, 1)).norm(), 1e-15);
  Terms T;
  model.system->prepare(T);
  model.system->evaluate(model.start, Need::mass, T);
  Mat3 I, expected;
  for (int i = 0; i < 9; ++i) I(i / 3, i % 3) = T.M(3 + i / 3, 3 + i % 3);
  expected << 1.5, -0.1, 0, -0.1, 1, 0, 0, 0, 2;
  EXPECT_LT((R * I * R.transpose() - tilt * expected * tilt.transpose()).norm(), 1e-14);
}

TEST(Urdf, CollisionIsWhatTouches) {
  const std::string box = "<geometry><box size=\"1 2 3\"/></geometry>", ball = "<geometry><sphere radius=\"2\"/></geometry>";
  const auto shapes = [&](const std::string& inside) {
    return import_urdf("r.urdf", robot(link("base", "") + link("a", mass + inside) + joint("j", "continuous", "base", "a"))).yaml;
  };
  const std::string both = shapes("<visual>" + box + "</visual><collision>" + ball + "</collision>");
  EXPECT_NE(both.find("{box: [1, 2, 3], at: [0, 0, 0], orientation: [1, 0, 0, 0], touch: false}"), std::string::npos) << both;
  EXPECT_NE(both.find("{sphere: 2, at: [0, 0, 0], orientation: [1, 0, 0, 0]}"), std::string::npos) << both;
  const std::string same = shapes("<visual>" + box + "</visual><collision>" + box + "</collision>");
  EXPECT_EQ(same.find("touch"), std::string::npos) << same;
  EXPECT_EQ(same.find("box"), same.rfind("box")) << same;
}

// the root's, and those of what is fixed to it, are the ground's; capsules are not of the format's first version
TEST(Urdf, TheGroundHasTheShapesOfTheRoot) {
  const std::string text = robot(link("base", "<collision><origin xyz=\"0 0 -1\"/><geometry><box size=\"4 4 2\"/></geometry></collision>") +
                                 link("post", "<visual><geometry><capsule radius=\"0.1\" length=\"1\"/></geometry></visual>") + link("arm", mass) +
                                 joint("f", "fixed", "base", "post", "<origin xyz=\"0 0 3\"/>") + joint("j", "continuous", "post", "arm"));
  const Import import = import_urdf("r.urdf", text);
  EXPECT_TRUE(import.warnings.empty());
  EXPECT_NE(import.yaml.find("  ground:\n    shapes:\n      - {box: [4, 4, 2], at: [0, 0, -1], orientation: [1, 0, 0, 0]}\n"
                             "      - {capsule: [1, 0.1], at: [0, 0, 3], orientation: [1, 0, 0, 0]}\n"), std::string::npos) << import.yaml;
}

TEST(Urdf, MeshesBecomeBoxes) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "escapement_urdf_test";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "m.stl") << "solid m\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 2 0 1\nvertex 0 4 "
                                     "0\nendloop\nendfacet\nendsolid\n";
  std::ofstream(folder / "m.obj") << "v -1 0 0\nv 1 0 0\nv 0 0 3\nf 1 2 3\n";
  const std::string visual =
      "<visual><geometry><mesh filename=\"m.stl\" scale=\"0.5 0.5 0.5\"/></geometry></visual>"
      "<visual><geometry><mesh filename=\"package://robot/m.obj\"/></geometry></visual>"
      "<visual><geometry><mesh filename=\"missing.stl\"/></geometry></visual>";
  const std::string text = robot(link("base", "") + link("a", mass + visual) + joint("j", "continuous", "base", "a"));
  const Import import = import_urdf((folder / "r.urdf").string(), text);
  EXPECT_NE(import.yaml.find("{box: [1, 2, 0.5], at: [0.5, 1, 0.25]"), std::string::npos) << import.yaml;
  EXPECT_NE(import.yaml.find("{box: [2, 1e-06, 3], at: [0, 0, 1.5]"), std::string::npos) << import.yaml;
  ASSERT_EQ(import.warnings.size(), 3u);
  EXPECT_NE(import.warnings[0].find("the mesh 'm.stl' became the box around it"), std::string::npos)
      << import.warnings[0];
  EXPECT_NE(import.warnings[2].find("'missing.stl' could not be read"), std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST(Urdf, LeavesOutMeshesThatCannotBeRead) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "escapement_urdf_meshes";
  std::filesystem::create_directories(folder / "folder.obj");
  std::ofstream(folder / "loud.STL") << "SOLID m\nVERTEX 0 0 0\nVERTEX 2 0 1\nVERTEX 0 4 0\n";
  // positions that come from nowhere
  std::ofstream(folder / "lost.dae")
      << "<COLLADA><library_geometries><geometry><mesh><vertices><input "
         "semantic=\"POSITION\"/></vertices></mesh></geometry></library_geometries></COLLADA>";
  const auto mesh = [](const std::string& file) {
    return "<visual><geometry><mesh filename=\"" + file + "\"/></geometry></visual>";
  };
  const std::string text =
      robot(link("base", "") + link("a", mass + mesh("folder.obj") + mesh("loud.STL") + mesh("lost.dae") + mesh("")) +
            joint("j", "continuous", "base", "a"));
  const Import import = import_urdf((folder / "r.urdf").string(), text);
  std::filesystem::remove_all(folder);
  ASSERT_EQ(import.warnings.size(), 4u);
  for (int k : {0, 2, 3}) EXPECT_NE(import.warnings[k].find("could not be read"), std::string::npos) << k;
  EXPECT_NE(import.yaml.find("{box: [2, 4, 1], at: [1, 2, 0.5]"), std::string::npos) << import.yaml;
}

// a box of 1 x 2 x 3 cm, shown twice: as it is, and turned, stretched and moved by the nodes it stands in
TEST(Urdf, PlacesTheGeometriesOfACollada) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "escapement_urdf_collada";
  std::filesystem::create_directories(folder);
  const std::string start =
      "<COLLADA><asset><unit meter=\"0.01\"/></asset><library_geometries><geometry id=\"g\"><mesh><source id=\"p\">"
      "<float_array>0 0 0 1 2 3</float_array></source><vertices><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
      "</mesh></geometry></library_geometries>";
  const std::string show = "<instance_geometry url=\"#g\"/>";
  const auto box = [&](const std::string& nodes) {
    std::ofstream(folder / "m.dae") << start + "<library_visual_scenes><visual_scene id=\"s\">" + nodes +
                                           "</visual_scene></library_visual_scenes><scene><instance_visual_scene "
                                           "url=\"#s\"/></scene></COLLADA>";
    const std::string visual = "<visual><geometry><mesh filename=\"m.dae\" scale=\"100 100 100\"/></geometry></visual>";
    const std::string text = robot(link("base", "") + link("a", mass + visual) + joint("j", "continuous", "base", "a"));
    const Model model = read_model("r.yaml", import_urdf((folder / "r.urdf").string(), text).yaml);
    const Picture::Shape& shape = model.scene.bodies.at(0).shapes.at(0);
    return std::pair(shape.size, shape.at);
  };
  using Numbers = std::vector<double>;
  const auto expect = [&](const std::string& nodes, const Numbers& size, const Numbers& at) {
    const auto [found_size, found_at] = box(nodes);
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(found_size[i], size[i], 1e-12) << nodes << i;
      EXPECT_NEAR(found_at[i], at[i], 1e-12) << nodes << i;
    }
  };
  expect("", {1, 2, 3}, {0.5, 1, 1.5});  // a scene that shows nothing
  expect("<node>" + show + "</node>", {1, 2, 3}, {0.5, 1, 1.5});
  expect("<node><translate>10 0 0</translate><node><rotate>0 0 1 90</rotate><scale>2 1 1</scale>" + show +
             "</node></node>",
         {2, 2, 3}, {9, 1, 1.5});
  expect("<node><matrix>0 -1 0 5  1 0 0 6  0 0 1 7  0 0 0 1</matrix>" + show + "</node><node>" + show + "</node>",
         {5, 7, 10}, {2.5, 3.5, 5});
  std::filesystem::remove_all(folder);
}

// a chain whose joints stand in the file from the last to the first: all of it is one body but for the last link
TEST(Urdf, PlacesLongChainsInAnyOrder) {
  const int n = 4000;
  std::string links = link("l0", ""), joints;
  for (int k = 1; k <= n; ++k) {
    const std::string here = "l" + std::to_string(k), before = "l" + std::to_string(k - 1);
    links += link(here);
    joints =
        joint("j" + here, k == n || k == 1 ? "continuous" : "fixed", before, here, "<origin xyz=\"1 0 0\"/>") + joints;
  }
  const Model model = read_model("r.yaml", import_urdf("r.urdf", robot(links + joints)).yaml);
  ASSERT_EQ(model.system->dim().v, 12);
  EXPECT_NEAR(model.start.q[0], (1 + (n - 1)) / 2.0, 1e-9);  // the middle of links 1 to n - 1
  EXPECT_EQ(model.start.q[7], n);
}

// a robot named without its folder stands in the current one
TEST(Urdf, LooksForPackagesFromTheCurrentFolder) {
  const std::string name = "escapement_urdf_mesh_beside_the_robot.obj";
  std::ofstream(name) << "v -1 0 0\nv 1 0 0\nv 0 0 3\nf 1 2 3\n";
  const auto mesh = [](const std::string& file) {
    return "<visual><geometry><mesh filename=\"package://" + file + "\"/></geometry></visual>";
  };
  const std::string text =
      robot(link("base", "") + link("a", mass + mesh("robot/" + name) + mesh("robot/not_there.obj") + mesh("")) +
            joint("j", "continuous", "base", "a"));
  const Import import = import_urdf("r.urdf", text);
  std::filesystem::remove(name);
  EXPECT_NE(import.yaml.find("{box: [2, 1e-06, 3], at: [0, 0, 1.5]"), std::string::npos) << import.yaml;
  ASSERT_EQ(import.warnings.size(), 3u);
  EXPECT_NE(import.warnings[1].find("not_there.obj' could not be read"), std::string::npos) << import.warnings[1];
  EXPECT_NE(import.warnings[2].find("could not be read"), std::string::npos) << import.warnings[2];
}

std::string mistake(const std::string& text) {
  try {
    import_urdf("r.urdf", text);
  } catch (const ModelError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Urdf, SaysHowToFreeTheRoot) {
  const std::string arm = link("a") + joint("j", "continuous", "base", "a");
  const Import standing = import_urdf("r.urdf", robot(link("base") + arm));
  ASSERT_EQ(standing.warnings.size(), 1u);
  EXPECT_NE(standing.warnings[0].find("the root link 'base' stands on the ground; to leave it free"), std::string::npos);
  const Import free =
      import_urdf("r.urdf", robot(link("world", "") + link("base") + joint("f", "floating", "world", "base") + arm));
  EXPECT_TRUE(free.warnings.empty());
  const Model model = read_model("r.yaml", free.yaml);
  EXPECT_EQ(model.system->dim().v - model.system->dim().bilateral, 7);
}

TEST(Urdf, TellsMistakes) {
  EXPECT_NE(mistake("<robot><link name=\"a\">").find("not well-formed XML"), std::string::npos);
  EXPECT_NE(mistake("<model/>").find("<robot>"), std::string::npos);
  EXPECT_NE(mistake(robot("")).find("no <link>"), std::string::npos);
  EXPECT_NE(mistake(robot(link("a") + link("a"))).find("a second link has the name 'a'"), std::string::npos);
  EXPECT_NE(mistake(robot(link("a") + link("b"))).find("both have no parent"), std::string::npos);
  EXPECT_NE(mistake(robot(link("a") + joint("j", "revolute", "a", "c"))).find("names link 'c'"), std::string::npos);
  EXPECT_NE(mistake(robot(link("a") + link("b") + joint("j", "fixed", "a", "b"))).find("nothing moves"),
            std::string::npos);
  EXPECT_NE(mistake(robot(link("a") + link("b") + joint("j", "hinge", "a", "b"))).find("unknown type 'hinge'"),
            std::string::npos);
  EXPECT_NE(mistake(robot(link("a") + link("b") + joint("j", "revolute", "a", "b", "<origin xyz=\"1 2\"/>")))
                .find("must be three numbers"),
            std::string::npos);
  EXPECT_NE(mistake(robot(link("a") + link("b") + joint("j", "revolute", "a", "b") + joint("k", "revolute", "b", "a")))
                .find("circle"),
            std::string::npos);
  // beside the tree, with a joint before it that only hangs from it
  EXPECT_EQ(mistake(robot(link("base") + link("a") + link("b") + link("c") + "\n" + joint("i", "fixed", "a", "c") +
                          "\n" + joint("j", "revolute", "a", "b") + "\n" + joint("k", "revolute", "b", "a"))),
            "r.urdf:4:1: joint 'k' goes round in a circle; a robot is a tree: remove one of the circle's joints");
  EXPECT_EQ(mistake("<robot>\n<xacro:include filename=\"arm.xacro\"/></robot>"),
            "r.urdf:2:1: this is a xacro file (<xacro:include>); expand it with the program xacro and import what that "
            "writes");
  EXPECT_EQ(mistake(robot(link("base") + link("forearm") + "\n" + joint("j", "fixed", "base", "foream"))),
            "r.urdf:2:51: joint 'j' names link 'foream', which does not exist; did you mean 'forearm'?");
  EXPECT_EQ(mistake(robot(link("a") + "\n<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/></joint>")),
            "r.urdf:2:1: joint 'j' names no child link; add <child link=\"...\"/>");
  // the place is that of the value
  EXPECT_EQ(mistake(robot(link("a", "<inertial>\n<mass value=\"1,5\"/></inertial>"))),
            "r.urdf:2:14: 'value' of <mass> is '1,5' but must be a number");
  EXPECT_TRUE(mistake(robot("\n<link/>")).starts_with("r.urdf:2:"));
  const std::string two =
      robot(link("base", "") + link("a") + link("b") + "\n" + joint("j", "continuous", "base", "a") + "\nJOINT");
  const auto with = [&](const std::string& last) {
    std::string text = two;
    return mistake(text.replace(text.find("JOINT"), 5, last));
  };
  EXPECT_EQ(with(joint("j", "continuous", "a", "b")), "r.urdf:3:1: a second joint has the name 'j'; rename one");
  EXPECT_EQ(with(joint("", "continuous", "a", "b")), "r.urdf:3:1: a <joint> needs a name; add it");
  const auto mimics = [&](const std::string& other) {
    return with(joint("g", "fixed", "a", "b") + "\n" + link("c") +
                joint("k", "continuous", "b", "c", "\n<mimic joint=\"" + other + "\"/>"));
  };
  EXPECT_EQ(mimics("g"),
            "r.urdf:5:1: joint 'k' mimics joint 'g', which is fixed and has no single angle or length; remove it");
  EXPECT_EQ(mimics("shoulder"),
            "r.urdf:5:1: joint 'k' mimics joint 'shoulder', which does not exist; correct the name");
  EXPECT_EQ(mimics("k"), "r.urdf:5:1: joint 'k' mimics itself in the end; let one of the joints move freely");
  // what only the reader of the model finds
  EXPECT_EQ(with(joint("k", "continuous", "a", "b", "\n<dynamics damping=\"-1\"/>")),
            "r.urdf:4:1: damping is -1 but must be at least 0");
  EXPECT_TRUE(with(joint("k", "fixed", "a", "b") +
                   link("c", mass + "<visual>\n<geometry><sphere radius=\"-1\"/></geometry></visual>") +
                   joint("l", "floating", "a", "c"))
                  .starts_with("r.urdf:4:1: "));
}

}  // namespace
}  // namespace escapement
