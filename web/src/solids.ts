// Solids of the spatial picture.
import {
  BoxGeometry,
  BufferGeometry,
  CapsuleGeometry,
  Color,
  CylinderGeometry,
  DoubleSide,
  EdgesGeometry,
  Float32BufferAttribute,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshStandardMaterial,
  PlaneGeometry,
  Quaternion,
  SphereGeometry,
  Vector3,
} from "three";
import type { Shape } from "./data";

function solid(geometry: BufferGeometry, color: string): Mesh {
  const mesh = new Mesh(geometry, new MeshStandardMaterial({ color, roughness: 0.62, metalness: 0.08 }));
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}

export function ball(radius: number, color: string): Mesh {
  return solid(new SphereGeometry(radius, 32, 20), color);
}

/** A bar of unit length, put between two points by setRod. */
export function rod(radius: number, color: string): Mesh {
  return solid(new CylinderGeometry(radius, radius, 1, 16), color);
}

const y = new Vector3(0, 1, 0);

export function setRod(mesh: Mesh, from: number[], to: number[]) {
  const a = new Vector3().fromArray(from);
  const along = new Vector3().fromArray(to).sub(a);
  const length = along.length();
  mesh.visible = length > 0 && Number.isFinite(length);
  if (!mesh.visible) return;
  mesh.position.copy(a).addScaledVector(along, 0.5);
  mesh.quaternion.setFromUnitVectors(y, along.divideScalar(length));
  mesh.scale.set(1, length, 1);
}

export function setColor(mesh: Mesh, color: string) {
  (mesh.material as MeshStandardMaterial).color.set(color);
}

export function shapeMesh(shape: Shape, color: string, still: boolean, sceneSize: number): Mesh {
  const mesh = solid(shapeGeometry(shape, sceneSize), color);
  const [x = 0, v = 0, z = 0] = shape.at ?? [];
  mesh.position.set(x, v, z);
  if (shape.orientation) {
    const [w, a, b, c] = shape.orientation;
    mesh.quaternion.set(a, b, c, w);
  }
  if (shape.kind === "plane") {
    const [nx, ny, nz] = shape.size;
    mesh.quaternion.multiply(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), new Vector3(nx, ny, nz).normalize()));
    mesh.castShadow = false;
  }
  // what stands still steps back behind what moves, and planes hide nothing
  if (still || shape.kind === "plane") {
    const material = mesh.material as MeshStandardMaterial;
    material.transparent = true;
    material.opacity = shape.kind !== "plane" ? 0.4 : still ? 0.12 : 0.25;
    material.depthWrite = shape.kind !== "plane";
    material.side = DoubleSide;
  }
  return mesh;
}

/** Flat faces, each a fan of triangles. */
function hullGeometry(shape: Shape): BufferGeometry {
  const points = shape.points ?? [];
  const places: number[] = [];
  for (const face of shape.faces ?? [])
    for (let k = 2; k < face.length; k++) for (const corner of [face[0], face[k - 1], face[k]]) places.push(...points[corner]);
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new Float32BufferAttribute(places, 3));
  geometry.computeVertexNormals();
  return geometry;
}

/** Cylinders and capsules lie along their own z. */
function shapeGeometry(shape: Shape, sceneSize: number): BufferGeometry {
  const [a = 1, b = 1, c = 1] = shape.size;
  switch (shape.kind) {
    case "box":
      return new BoxGeometry(a, b, c);
    case "cylinder":
      return new CylinderGeometry(b, b, a, 40).rotateX(Math.PI / 2);
    case "capsule":
      return new CapsuleGeometry(b, a, 12, 32).rotateX(Math.PI / 2);
    case "hull":
      return hullGeometry(shape);
    case "plane":
      return new PlaneGeometry(2 * sceneSize, 2 * sceneSize);
    default:
      return new SphereGeometry(a, 40, 24);
  }
}

/** Sharp edges in a darker tone: solids read better so. */
export function edges(mesh: Mesh, color: string): LineSegments {
  const tone = new Color(color).multiplyScalar(0.55);
  return new LineSegments(new EdgesGeometry(mesh.geometry, 30), new LineBasicMaterial({ color: tone }));
}
