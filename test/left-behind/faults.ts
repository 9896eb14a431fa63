/** A module that is loaded before Continuo, and makes Continuo fail when a signal arrives. */

process.on("SIGUSR2", () => {
  throw new Error("a mistake of Continuo's own");
});
process.on("SIGPWR", () => process.exit(9));
