// Flashes of impacts in space: a ball that grows and fades, an arrow as long as the impulse is hard.
import { ArrowHelper, Mesh, MeshBasicMaterial, type Scene, SphereGeometry, Vector3 } from "three";
import type { Contact, Event } from "./data";
import type { Frames } from "./frames";
import { colors } from "./theme";

interface Flash {
  contact: Contact;
  hits: Event[]; // of the contact, in their order
  ball: Mesh<SphereGeometry, MeshBasicMaterial>;
  arrow: ArrowHelper;
}

export class Flashes {
  private readonly hardest: number;
  private flashes: Flash[] = [];

  constructor(
    private readonly contacts: Contact[],
    private readonly impacts: Event[],
    private readonly frames: Frames,
  ) {
    this.hardest = impacts.reduce((most, e) => Math.max(most, Math.abs(e.impulse) || 0), 0);
  }

  addTo(scene: Scene) {
    const { brass } = colors();
    this.flashes = this.contacts.map((contact) => {
      const ball = new Mesh(new SphereGeometry(1, 24, 16), new MeshBasicMaterial({ color: brass, transparent: true, depthWrite: false }));
      const arrow = new ArrowHelper(new Vector3(0, 0, 1), new Vector3(), 1, brass);
      ball.visible = arrow.visible = false;
      scene.add(ball, arrow);
      return { contact, hits: this.impacts.filter((e) => e.contact === contact.name), ball, arrow };
    });
  }

  /** Of each contact the last impact, while it is fresh: a third of a second on the screen. The frames stand at t. */
  draw(t: number, speed: number, size: number, shown: boolean) {
    for (const { contact, hits, ball, arrow } of this.flashes) {
      const hit = shown ? lastBefore(hits, t) : undefined;
      const age = hit ? Math.max(0, (t - hit.t) / (0.35 * speed)) : 2;
      const place = this.frames.point(contact.point)();
      ball.visible = arrow.visible = age <= 1 && Number.isFinite(place[0]);
      if (!hit || !ball.visible) continue;
      const strength = this.hardest > 0 ? Math.sqrt(Math.abs(hit.impulse) / this.hardest) || 0 : 0.5;
      ball.position.fromArray(place);
      ball.scale.setScalar(size * (0.015 + (0.02 + 0.04 * strength) * age));
      ball.material.opacity = 0.6 * (1 - age);
      const length = Math.max(1e-3, 0.2 * strength) * size;
      arrow.position.fromArray(place);
      arrow.setDirection(new Vector3().fromArray(this.frames.point(contact.normal)()).normalize());
      arrow.setLength(length, Math.min(0.05 * size, 0.4 * length), Math.min(0.025 * size, 0.2 * length));
    }
  }
}

/** The last one at or before t; a time that was sought by its impact may differ from it by rounding. */
function lastBefore(hits: Event[], t: number): Event | undefined {
  const later = hits.findIndex((e) => e.t > t + 1e-9 * Math.abs(t));
  return hits[(later < 0 ? hits.length : later) - 1];
}
