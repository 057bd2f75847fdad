#!/usr/bin/env bash
# Advice on a real Open MPI: eight processes on one node run each collective with the rules that `hetsim advise` wrote,
# and the dynamic linker tells which algorithm's function each of them called: it must be the rule's.
#
#   tests/openmpi.sh target/release/hetsim
#
# A machine without Open MPI 4 that has no root or apt either, or whose linker does not tell, says so and passes.
set -euo pipefail

binary=$(realpath "${1:?the path of hetsim}")
ranks=8

skip() {
    echo "tests/openmpi.sh: skipped: $*"
    exit 0
}

if ! command -v mpirun mpicc >/dev/null || [ "$(command -v mpirun mpicc | wc -l)" != 2 ]; then
    command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] || skip "Open MPI is not installed, nor can it be"
    export DEBIAN_FRONTEND=noninteractive
    packages="openmpi-bin libopenmpi-dev"
    # shellcheck disable=SC2086
    timeout 600 apt-get install -y --no-install-recommends $packages >/dev/null 2>&1 ||
        { timeout 300 apt-get update >/dev/null 2>&1 && timeout 600 apt-get install -y --no-install-recommends $packages >/dev/null 2>&1; } ||
        skip "Debian's packages of Open MPI can't be installed"
fi
version=$(mpirun --version 2>/dev/null | sed -n 's/^mpirun (Open MPI) //p')
[[ $version == 4.* ]] || skip "mpirun is no Open MPI 4, whose component tuned is a library of its own"

work=$(mktemp -d "${TMPDIR:-/tmp}/hetsim-openmpi.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

# Eight nodes, on which different algorithms are the fastest at different sizes.
cat >lab.platform.toml <<TOML
[cluster.lab]
nodes = $ranks
network = { model = "loggp", latency = "5us", overhead = "1us", gap = "2us", gap_per_byte = "1ns/B" }
TOML
"$binary" advise lab.platform.toml --operation all --ranks "$ranks" --sizes 64B,4KiB,64KiB,1MiB --out . >/dev/null 2>said ||
    { cat said; exit 1; }

# A call of a collective with so many bytes, as hetsim counts them.
cat >call.c <<'C'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const char *name = argv[1];
    int n = atoi(argv[2]) / 4, ranks;
    MPI_Comm all = MPI_COMM_WORLD;
    MPI_Comm_size(all, &ranks);
    int *a = calloc((size_t) n * ranks + 1, 4), *b = calloc((size_t) n * ranks + 1, 4), *each = malloc(4 * (size_t) ranks);
    for (int rank = 0; rank < ranks; rank++) each[rank] = n;
    if (!strcmp(name, "all_gather")) MPI_Allgather(a, n, MPI_INT, b, n, MPI_INT, all);
    else if (!strcmp(name, "all_reduce")) MPI_Allreduce(a, b, n, MPI_INT, MPI_SUM, all);
    else if (!strcmp(name, "all_to_all")) MPI_Alltoall(a, n, MPI_INT, b, n, MPI_INT, all);
    else if (!strcmp(name, "barrier")) MPI_Barrier(all);
    else if (!strcmp(name, "broadcast")) MPI_Bcast(a, n, MPI_INT, 0, all);
    else if (!strcmp(name, "gather")) MPI_Gather(a, n, MPI_INT, b, n, MPI_INT, 0, all);
    else if (!strcmp(name, "reduce")) MPI_Reduce(a, b, n, MPI_INT, MPI_SUM, 0, all);
    else if (!strcmp(name, "reduce_scatter")) MPI_Reduce_scatter(a, b, each, MPI_INT, MPI_SUM, all);
    else if (!strcmp(name, "scan")) MPI_Scan(a, b, n, MPI_INT, MPI_SUM, all);
    else if (!strcmp(name, "scatter")) MPI_Scatter(a, n, MPI_INT, b, n, MPI_INT, 0, all);
    else return 9;
    MPI_Finalize();
    return 0;
}
C
mpicc -o call call.c

# Open MPI's function of each number that docs/advise.md lists (`ompi/mca/coll/base/coll_base_functions.h`).
cat >functions <<'LIST'
all_gather 2 allgather_intra_bruck
all_gather 3 allgather_intra_recursivedoubling
all_gather 4 allgather_intra_ring
all_gather 5 allgather_intra_neighborexchange
all_reduce 2 allreduce_intra_nonoverlapping
all_reduce 3 allreduce_intra_recursivedoubling
all_reduce 4 allreduce_intra_ring
all_reduce 6 allreduce_intra_redscat_allgather
all_to_all 1 alltoall_intra_basic_linear
all_to_all 2 alltoall_intra_pairwise
all_to_all 3 alltoall_intra_bruck
all_to_all 4 alltoall_intra_linear_sync
barrier 1 barrier_intra_basic_linear
barrier 3 barrier_intra_recursivedoubling
barrier 4 barrier_intra_bruck
barrier 6 barrier_intra_tree
broadcast 1 bcast_intra_basic_linear
broadcast 2 bcast_intra_chain
broadcast 3 bcast_intra_pipeline
broadcast 4 bcast_intra_split_bintree
broadcast 5 bcast_intra_bintree
broadcast 6 bcast_intra_binomial
broadcast 7 bcast_intra_knomial
broadcast 8 bcast_intra_scatter_allgather
broadcast 9 bcast_intra_scatter_allgather_ring
gather 1 gather_intra_basic_linear
gather 2 gather_intra_binomial
gather 3 gather_intra_linear_sync
reduce 1 reduce_intra_basic_linear
reduce 2 reduce_intra_chain
reduce 3 reduce_intra_pipeline
reduce 4 reduce_intra_binary
reduce 5 reduce_intra_binomial
reduce 6 reduce_intra_in_order_binary
reduce 7 reduce_intra_redscat_gather
reduce_scatter 1 reduce_scatter_intra_nonoverlapping
reduce_scatter 2 reduce_scatter_intra_basic_recursivehalving
reduce_scatter 3 reduce_scatter_intra_ring
scan 1 scan_intra_linear
scan 2 scan_intra_recursivedoubling
scatter 1 scatter_intra_basic_linear
scatter 2 scatter_intra_binomial
LIST

# How many processes called which function of the collectives' algorithms; the linker binds each at its first call.
called() { # $1: operation, $2: bytes; then options
    # Each process has a file of its own: what several write to one would mingle.
    rm -rf bound && mkdir bound
    LD_DEBUG=bindings LD_DEBUG_OUTPUT=$work/bound/of timeout 120 mpirun --allow-run-as-root --oversubscribe -np "$ranks" \
        -x LD_DEBUG -x LD_DEBUG_OUTPUT --mca btl self,vader "${@:3}" ./call "$1" "$2" >out 2>&1 ||
        { tail -n 20 out >&2; return 1; }
    { grep -oh 'mca_coll_tuned.so .*normal symbol .ompi_coll_base_[a-z_]*' bound/* || true; } |
        sed 's/.*ompi_coll_base_//' | { grep _intra_ || true; } | sort | uniq -c | sed 's/^ *//'
}

probe=$(called broadcast 64) || exit 1
[ -n "$probe" ] || skip "the dynamic linker does not tell what mca_coll_tuned.so calls"

rules=(--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename advise-lab/openmpi.rules)
# operation, bytes, and the number of Open MPI's algorithm
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $at["openmpi_id"] != "" { print $at["operation"], $at["bytes"], $at["openmpi_id"] }' advise-lab/choices.csv >expected
checked=0
while read -r operation bytes number <&3; do
    expected=$(awk -v o="$operation" -v n="$number" '$1 == o && $2 == n { print $3 }' functions)
    [ -n "$expected" ] || { echo "tests/openmpi.sh: $operation $number is in no list"; exit 1; }
    found=$(called "$operation" "$bytes" "${rules[@]}" </dev/null)
    grep -qx "$ranks $expected" <<<"$found" ||
        { echo "tests/openmpi.sh: $operation of $bytes B: expected $expected by $ranks processes, found: ${found:-nothing}"; exit 1; }
    checked=$((checked + 1))
done 3<expected
echo "tests/openmpi.sh: Open MPI $version ran the rule's algorithm in all of $checked calls of $(cut -d' ' -f1,3 expected | sort -u | wc -l) algorithms"
