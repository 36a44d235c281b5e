// Light and dark. The style sheet owns the colours; drawings ask for them here.

const names = ["paper", "panel", "ink", "muted", "rule", "grid", "steel", "brass", "ruby", "good"] as const;
type Name = (typeof names)[number];

export type Colors = Record<Name, string> & { series: string[] };

const listeners: (() => void)[] = [];
let cache: Colors | null = null;

export function colors(): Colors {
  if (cache) return cache;
  const style = getComputedStyle(document.documentElement);
  const read = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const result = { series: Array.from({ length: 8 }, (_, i) => read(`s${i + 1}`)) } as Colors;
  for (const name of names) result[name] = read(name);
  return (cache = result);
}

export function seriesColor(index: number): string {
  return colors().series[index % 8];
}

/** The same colour, let through: for fills. */
export function faint(color: string, alpha: number): string {
  const value = parseInt(color.slice(1), 16);
  return `rgba(${value >> 16}, ${(value >> 8) & 255}, ${value & 255}, ${alpha})`;
}

export function isDark(): boolean {
  return document.documentElement.dataset.theme === "dark";
}

function apply(dark: boolean) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  cache = null;
  for (const listener of listeners) listener();
}

let chosen = false;

export function toggleTheme() {
  chosen = true;
  apply(!isDark());
}

export function onTheme(listener: () => void) {
  listeners.push(listener);
}

export function startTheme() {
  const system = matchMedia("(prefers-color-scheme: dark)");
  apply(system.matches);
  system.addEventListener("change", () => {
    if (!chosen) apply(system.matches);
  });
  // paper is white
  let before = false;
  addEventListener("beforeprint", () => {
    before = isDark();
    if (before) apply(false);
  });
  addEventListener("afterprint", () => {
    if (before) apply(true);
  });
}

export const font = '11px "Helvetica Neue", "Segoe UI", Roboto, "Liberation Sans", Arial, sans-serif';
export const smallFont = font.replace("11px", "10px");
