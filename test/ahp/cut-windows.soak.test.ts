import { soakTest } from "../sizes/soak-test.ts";
import { cutWindows, killHosts } from "./cut-windows.ts";

/** A batch starts VS Code and opens two windows of it, which takes as long as fifteen turns. */
const BATCH = 250;
/** The reconnects in a turn: one of each of the two windows, and three of the bare client. */
const IN_A_TURN = 5;

soakTest(
  "reconnects of two windows and a bare client",
  { count: 1_000, batchSize: BATCH },
  async ({ count }) => {
    await cutWindows({ turns: Math.ceil(count / IN_A_TURN), cuts: IN_A_TURN - 2 });
  },
);

soakTest(
  "kills in mid-turn of the host of two windows and a bare client",
  { count: 100, batchSize: 25 },
  async ({ count, seed }) => {
    await killHosts({ kills: count, seed });
  },
);
