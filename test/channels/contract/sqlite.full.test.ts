import { openStore } from "@continuo/store";
import { channelContract } from "./contract.ts";

channelContract("SQLite", () => openStore("memory:"), "long");
