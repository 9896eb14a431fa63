/**
 * A recorded terminal session as one SVG that is animated only by CSS, without scripts, fonts and external addresses.
 * Pure.
 */

export interface Scene {
  /** The command, as a person types it. */
  readonly command: string;
  /** Its output, with the escape sequences of `src/cli/terminal/paint.ts`. */
  readonly output: string;
}

export interface PictureSize {
  readonly columns: number;
  readonly rows: number;
}

const CHAR_WIDTH = 7.8;
const LINE_HEIGHT = 19;
const MARGIN = 18;
/** The time in which a command is typed, and the time for which its output stays. */
const SECONDS = { typing: 1, reading: 5 } as const;

const COLOURS: Readonly<Record<string, string>> = {
  "31": "#f0777a",
  "32": "#8fcf8f",
  "33": "#e6c06c",
  "34": "#7fb0f5",
  "35": "#d49be0",
  "36": "#6fc7cf",
};

/** The scenes play one after the other, in a loop. A reader who prefers no motion sees the last one. */
export function movingPicture(
  title: string,
  scenes: readonly Scene[],
  { columns, rows }: PictureSize,
): string {
  const width = Math.ceil(columns * CHAR_WIDTH + 2 * MARGIN);
  const height = rows * LINE_HEIGHT + 2 * MARGIN;
  const each = SECONDS.typing + SECONDS.reading;
  const share = 100 / scenes.length;
  const typed = (SECONDS.typing / each) * share;
  const groups = scenes.map(
    (scene, at) =>
      `<g class="scene" style="animation-delay:${at * each}s">${sceneLines(scene, at * each, rows)}</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeXml(title)}</title>
<style>
text { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #d7dae0; white-space: pre }
.command { font-weight: bold }
.scene { visibility: hidden; animation: scene ${each * scenes.length}s step-end infinite }
.output { visibility: hidden; animation: output ${each * scenes.length}s step-end infinite }
@keyframes scene { 0% { visibility: visible } ${percent(share)} { visibility: hidden } }
@keyframes output { 0% { visibility: hidden } ${percent(typed)} { visibility: inherit } ${percent(share)} { visibility: hidden } }
@media (prefers-reduced-motion: reduce) {
  .scene, .output { animation: none }
  .scene:last-of-type, .scene:last-of-type .output { visibility: visible }
}
</style>
<rect width="100%" height="100%" rx="8" fill="#16181d"/>
${groups.join("\n")}
</svg>
`;
}

function sceneLines({ command, output }: Scene, delay: number, rows: number): string {
  const all = output.trimEnd().split("\n");
  const fits = all.length < rows ? all : [...all.slice(0, rows - 2), "…"];
  const lines = fits.map((line, at) => textLine(toSpans(line), at + 1)).join("");
  const prompt = textLine(`<tspan class="command">${escapeXml(`$ ${command}`)}</tspan>`, 0);
  return `${prompt}<g class="output" style="animation-delay:${delay}s">${lines}</g>`;
}

function textLine(spans: string, row: number): string {
  return spans === ""
    ? ""
    : `<text x="${MARGIN}" y="${MARGIN + 13 + row * LINE_HEIGHT}" xml:space="preserve">${spans}</text>`;
}

/** Each style is switched on by its number, and off by 22, 23, 24 or 39. */
function toSpans(line: string): string {
  const [first = "", ...rest] = line.split("\u001B[");
  let [colour, isFaint, isBold] = ["", false, false];
  const spans = rest.map((part) => {
    const end = part.indexOf("m");
    const code = part.slice(0, end);
    if (code === "39") colour = "";
    else if (code in COLOURS) colour = COLOURS[code] ?? "";
    else if (code === "22") [isFaint, isBold] = [false, false];
    else if (code === "2") isFaint = true;
    else if (code === "1") isBold = true;
    const style = [
      colour === "" ? "" : ` fill="${colour}"`,
      isFaint ? ' opacity=".65"' : "",
      isBold ? ' font-weight="bold"' : "",
    ].join("");
    const text = escapeXml(part.slice(end + 1));
    return style === "" || text === "" ? text : `<tspan${style}>${text}</tspan>`;
  });
  return `${escapeXml(first)}${spans.join("")}`;
}

function percent(value: number): string {
  return `${Number(value.toFixed(2))}%`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
