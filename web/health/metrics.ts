/** The numbers of `/metrics` that the page shows. Pure. */

export interface ServerNumbers {
  /** Streams and WebSockets that are open now. */
  readonly connections: number;
  readonly requests: number;
  /** Answered with a status of 500 or more. */
  readonly failed: number;
}

const LINE = /^continuo_(\w+)(?:\{(.*)\})? (\d+(?:\.\d+)?)$/u;

/** @param text in the format of Prometheus */
export function readMetrics(text: string): ServerNumbers {
  const numbers = { connections: 0, requests: 0, failed: 0 };
  for (const line of text.split("\n")) {
    const [, name, labels = "", value] = LINE.exec(line) ?? [];
    if (name === "connections_open") numbers.connections += Number(value);
    if (name !== "requests_total") continue;
    numbers.requests += Number(value);
    if (/\bstatus="5/u.test(labels)) numbers.failed += Number(value);
  }
  return numbers;
}
