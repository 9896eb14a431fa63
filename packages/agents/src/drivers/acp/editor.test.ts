import type { EditorPort } from "@continuo/core/model";
import { expect, test } from "vitest";
import { editorAccess, NO_EDITOR } from "./editor.ts";

const editor: EditorPort = {
  capabilities: {
    fs: { readTextFile: true, writeTextFile: true },
    terminal: true,
    elicitation: { form: {}, url: null },
  },
  request: async () => ({}),
  completed: async () => undefined,
};
const FILES = ["fs/read_text_file", "fs/write_text_file"];
const TERMINALS = [
  "terminal/create",
  "terminal/output",
  "terminal/wait_for_exit",
  "terminal/kill",
  "terminal/release",
];
const FORMS = ["elicitation/create"];

test("an agent may use every function of the editor, unless it may only read", () => {
  for (const policy of ["ask", "unrestricted"] as const) {
    expect(editorAccess(editor, { policy, protocol: 1 })).toEqual({
      capabilities: editor.capabilities,
      methods: [...FILES, ...TERMINALS, ...FORMS],
    });
  }
  expect(editorAccess(editor, { policy: "safe", protocol: 1 })).toEqual({
    capabilities: {
      fs: { readTextFile: true, writeTextFile: false },
      elicitation: editor.capabilities.elicitation,
    },
    methods: ["fs/read_text_file", ...FORMS],
  });
});

test("version 2 has only forms", () => {
  expect(editorAccess(editor, { policy: "ask", protocol: 2 })).toEqual({
    capabilities: { elicitation: editor.capabilities.elicitation },
    methods: FORMS,
  });
});

test.each([
  {},
  { fs: null, terminal: false, elicitation: null },
  { fs: { readTextFile: false }, terminal: "yes" },
])("an editor with %j has nothing for an agent", (capabilities) => {
  const access = editorAccess({ ...editor, capabilities }, { policy: "ask", protocol: 1 });
  expect(access).toEqual(NO_EDITOR);
});

test("without an editor, an agent gets no editor", () => {
  expect(editorAccess(undefined, { policy: "unrestricted", protocol: 1 })).toEqual(NO_EDITOR);
});
