class Hetsim < Formula
  desc "Discrete-event simulator of parallel programs on heterogeneous clusters"
  homepage "https://example.org/hetsim"
  url "https://example.org/hetsim/archive/v0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  # OFL-1.1 is that of the fonts for charts as PDF.
  license all_of: ["OFL-1.1", any_of: ["MIT", "Apache-2.0"]]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args
    generate_completions_from_executable(bin/"hetsim", "completions")
    pkgshare.install "scenarios", "src/report/print/fonts/OFL.txt"
  end

  test do
    (testpath/"mine.toml").write shell_output("#{bin}/hetsim new broadcast")
    system bin/"hetsim", "mine.toml"
    assert_path_exists testpath/"output/mine/results.csv"
  end
end
