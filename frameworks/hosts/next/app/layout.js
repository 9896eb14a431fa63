// biome-ignore lint/style/noDefaultExport: Next wants the frame of its pages, of which there are none.
export default function Layout({ children }) {
  return children;
}
