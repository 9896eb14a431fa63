/**
 * Files by which other installers get the executable: Homebrew, mise, Docker. All of them come from one source with its
 * checksum. Pure. None of these installers is on the machines on which Continuo is built, so the files follow the
 * documentation and were not tried. A test runs the command of the image. Its address is only for a port of this
 * machine: `docker run -p 127.0.0.1:4747:4747`.
 */

export interface Source {
  readonly version: string;
  /** The address of the release, as the home page for people. */
  readonly homepage: string;
  /** The address of the compressed executable. */
  readonly url: string;
  readonly sha256: string;
}

export function formula({ version, homepage, url, sha256 }: Source): string {
  return `class Continuo < Formula
  desc "Session layer for AI agents"
  homepage "${homepage}"
  url "${url}"
  version "${version}"
  sha256 "${sha256}"
  license "Apache-2.0"

  depends_on arch: :x86_64
  depends_on :linux

  def install
    bin.install Dir["continuo*"].first => "continuo"
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/continuo --version").strip
  end
end
`;
}

export function miseFile({ version, url, sha256 }: Source): string {
  return `[tools]
"http:continuo" = { version = "${version}", url = "${url}", checksum = "sha256:${sha256}", bin = "continuo" }
`;
}

export function dockerfile({ url, sha256 }: Source): string {
  return `FROM debian:stable-slim
ADD --checksum=sha256:${sha256} ${url} /tmp/continuo.gz
RUN gzip -dc /tmp/continuo.gz >/usr/local/bin/continuo && chmod 755 /usr/local/bin/continuo && rm /tmp/continuo.gz
RUN useradd --create-home continuo
USER continuo
VOLUME /home/continuo/.continuo
EXPOSE 4747
ENTRYPOINT ["continuo"]
CMD ["serve", "--listen", "0.0.0.0:4747", "--public-url", "http://localhost:4747"]
`;
}
