/** A home whose sessions used models with a price and without one, on several days and in two projects. */

import { claudeFile, claudeText, createHome, type Home, writeSessions } from "../cli/home.ts";

const EXCHANGES = [
  ["claude-haiku-4-5", "2025-01-05", "/home/ann/app"],
  ["claude-haiku-4-5", "2025-04-20", "/home/ann/app"],
  ["claude-opus-4-1", "2025-06-02", "/home/ann/shop"],
  ["model-x", "2025-06-03", "/home/ann/shop"],
] as const;

export function createPricedHome(): Home {
  const home = createHome();
  writeSessions(home);
  EXCHANGES.forEach(([model, day, cwd], at) => {
    const id = `4bf3f000-0000-4000-8000-00000000000${at}`;
    const text = claudeText(id, [
      { uuid: "a", parent: null, role: "user", content: `Ask ${model}`, time: "10:00:00" },
      {
        uuid: "b",
        parent: "a",
        role: "assistant",
        content: [{ type: "text", text: "Yes." }],
        time: "10:00:01",
      },
    ]);
    const used = text
      .replaceAll("2025-01-05", day)
      .replaceAll("/home/ann/app", cwd)
      .replace("model-a", model)
      .replace("msg_1", `msg_${id}`)
      .replace('"input_tokens":1000', `"input_tokens":${(at + 1) * 1_000_000}`);
    home.write(claudeFile(id), used);
  });
  return home;
}
