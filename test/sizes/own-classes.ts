/**
 * A setup file of the quick size. `continuo serve` and `continuo view` give their process the `Request` and `Response`
 * of Hono's server. The test files of a worker share a process, so this file restores the original classes after each
 * of them.
 */

import { afterAll } from "vitest";

const { Request, Response } = globalThis;

afterAll(() => {
  for (const [name, value] of Object.entries({ Request, Response })) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
});
