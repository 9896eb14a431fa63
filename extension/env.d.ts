/** What the bundler puts in place of these names. */

interface ImportMeta {
  readonly env: { readonly FIREFOX: boolean };
}
