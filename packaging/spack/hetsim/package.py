# Copyright Spack Project Developers. See COPYRIGHT file for details.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

from spack_repo.builtin.build_systems.cargo import CargoPackage

from spack.package import *


class Hetsim(CargoPackage):
    """A discrete-event simulator of parallel programs on heterogeneous clusters:
    unequal nodes, unequal networks, external load, failures. One TOML file
    describes the experiment; one command makes tables, charts and a report."""

    homepage = "https://example.org/hetsim"
    url = "https://example.org/hetsim/archive/v0.1.0.tar.gz"

    # OFL-1.1 is that of the fonts for charts as PDF.
    license("(MIT OR Apache-2.0) AND OFL-1.1", checked_by="hetsim")

    version("0.1.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("parquet", default=False, description="Write results.parquet, too")
    variant("png", default=False, description="Write charts as PNG, too")

    depends_on("c", type="build")
    depends_on("rust@1.95:", type="build")

    @property
    def build_args(self):
        features = [name for name in ("parquet", "png") if self.spec.satisfies(f"+{name}")]
        return ["--locked"] + (["--features", ",".join(features)] if features else [])

    @run_after("install")
    def install_shared(self):
        install_tree("scenarios", self.prefix.share.hetsim.scenarios)
        install("src/report/print/fonts/OFL.txt", self.prefix.share.hetsim)

    def test_first_scenario(self):
        """runs a scenario"""
        hetsim = which(self.prefix.bin.hetsim)
        hetsim(self.prefix.share.hetsim.scenarios.join("first.toml"), "--quiet")
