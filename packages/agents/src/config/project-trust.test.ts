import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { createProjectTrust } from "./project-trust.ts";

let home: string;
let project: string;

beforeEach(() => {
  home = scratchFolder("trust");
  project = join(home, "project");
  mkdirSync(project);
  writeFileSync(join(project, "continuo.yaml"), "agent: claude\n");
});

const places = () => ({ home, cwd: project, env: { CONTINUO_HOME: join(home, "continuo") } });

test.each([
  ["that does not change is not asked about again", "agent: claude\n", 1],
  ["that changes while the question is open is asked about again", "agent: evil\n", 2],
])("a file of a project %s", async (_name, meanwhile, expected) => {
  let asked = 0;
  for (let run = 0; run < 2; run++) {
    const trust = createProjectTrust(places(), async () => {
      asked++;
      writeFileSync(join(project, "continuo.yaml"), meanwhile);
      return "yes";
    });
    await trust.settle(project);
  }
  expect(asked).toBe(expected);
});
