import { soakTest } from "../sizes/soak-test.ts";
import { cutWindows } from "./cut-windows.ts";

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
