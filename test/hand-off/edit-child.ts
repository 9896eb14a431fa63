/** The program that a kill test kills: `edit-child.ts EDIT REF [TO CWD]`. */

import { type Edit, runEdit } from "./edits.ts";

const [edit, ref = ""] = process.argv.slice(2);
await runEdit(edit as Edit, ref, { home: process.env.HOME ?? "", env: {} });
