import { testFormatCases } from "../format-cases.ts";
import { PI_CASES } from "./cases.ts";

testFormatCases(PI_CASES);
