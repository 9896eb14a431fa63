/**
 * An extension of pi for the tests: commands for what pi offers to extensions, or only on its screen.
 *
 *   /go {"to": ID, "summarize": true?}   another entry of the tree is the leaf from here on
 *   /label {"on": ID, "label": TEXT}     /note {"text": TEXT}     /state {"data": …}
 *   /edit {"target": ID, "replacement": … | null}   an entry is changed for the model, after the next answer
 */

// biome-ignore lint/style/noDefaultExport: pi takes the default export of an extension.
export default function testCommands(pi) {
  const edits = [];
  const command = (name, handler) =>
    pi.registerCommand(name, {
      description: "for the tests",
      handler: (args, context) => handler(JSON.parse(args), context),
    });
  command("go", async ({ to, summarize }, context) => {
    await context.waitForIdle();
    await context.navigateTree(to, { summarize: summarize === true });
  });
  command("label", async ({ on, label }) => pi.setLabel(on, label));
  command("note", async ({ text }) =>
    pi.sendMessage({ customType: "test-note", content: text, display: true, details: { from: "test" } }),
  );
  command("state", async ({ data }) => pi.appendEntry("test-state", data));
  command("edit", async ({ target, replacement }) => {
    edits.push({ type: "context_edit", targetId: target, replacement });
  });
  pi.on("turn_end", async (event) => {
    if (edits.length === 0 || event.toolResults.length > 0) return undefined;
    return { entries: [...event.entries, ...edits.splice(0)] };
  });
}
