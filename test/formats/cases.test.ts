import { describe } from "vitest";
import { CASES, FILE_AGENTS } from "./cases.ts";
import { testFormatCases } from "./format-cases.ts";

describe.each(FILE_AGENTS)("%s", (agent) => testFormatCases(CASES[agent]));
