#!/usr/bin/env bash
# Advice on a real Open MPI: eight processes on one node run each collective with the rules that `hetsim advise` wrote,
# and the dynamic linker tells which algorithm's function each of them called: the rule's, or where the rule leaves the
# choice to Open MPI, that which our table of its choices has. Then four processes on each of two nodes do, where the
# component `han` would take the call (as it does from Open MPI 5.0 on) if the file's own command did not leave it out.
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

# Debian's `openmpi-bin` alone has a compiler, and no `mpi.h` for it: what counts is whether a program compiles.
compiles() { command -v mpirun >/dev/null && echo '#include <mpi.h>' | mpicc -fsyntax-only -x c - 2>/dev/null; }
if ! compiles; then
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
# Rules as they are used, which leave a size to Open MPI where nothing is surely better, and rules of the fastest.
for error in 15 0; do
    "$binary" advise lab.platform.toml --operation all --ranks "$ranks" --sizes 64B,4KiB,64KiB,1MiB --error $error \
        --out error-$error >/dev/null 2>said || { cat said; exit 1; }
done

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

# Open MPI's number and function of each algorithm that docs/advise.md lists
# (`ompi/mca/coll/base/coll_base_functions.h`).
cat >functions <<'LIST'
all_gather bruck 2 allgather_intra_bruck
all_gather recursive_doubling 3 allgather_intra_recursivedoubling
all_gather ring 4 allgather_intra_ring
all_gather neighbour_exchange 5 allgather_intra_neighborexchange
all_reduce reduce_broadcast 2 allreduce_intra_nonoverlapping
all_reduce recursive_doubling 3 allreduce_intra_recursivedoubling
all_reduce ring 4 allreduce_intra_ring
all_reduce rabenseifner 6 allreduce_intra_redscat_allgather
all_to_all linear 1 alltoall_intra_basic_linear
all_to_all pairwise 2 alltoall_intra_pairwise
all_to_all bruck 3 alltoall_intra_bruck
all_to_all linear_synchronised 4 alltoall_intra_linear_sync
barrier linear 1 barrier_intra_basic_linear
barrier recursive_doubling 3 barrier_intra_recursivedoubling
barrier dissemination 4 barrier_intra_bruck
barrier binomial 6 barrier_intra_tree
broadcast linear 1 bcast_intra_basic_linear
broadcast chain 2 bcast_intra_chain
broadcast pipeline 3 bcast_intra_pipeline
broadcast split_binary 4 bcast_intra_split_bintree
broadcast binary 5 bcast_intra_bintree
broadcast segmented_binary 5 bcast_intra_bintree
broadcast binomial 6 bcast_intra_binomial
broadcast segmented_binomial 6 bcast_intra_binomial
broadcast k_nomial 7 bcast_intra_knomial
broadcast scatter_recursive_doubling 8 bcast_intra_scatter_allgather
broadcast scatter_ring 9 bcast_intra_scatter_allgather_ring
gather linear 1 gather_intra_basic_linear
gather binomial 2 gather_intra_binomial
gather linear_synchronised 3 gather_intra_linear_sync
reduce linear 1 reduce_intra_basic_linear
reduce chain 2 reduce_intra_chain
reduce pipeline 3 reduce_intra_pipeline
reduce binary 4 reduce_intra_binary
reduce segmented_binary 4 reduce_intra_binary
reduce binomial 5 reduce_intra_binomial
reduce in_order_binary 6 reduce_intra_in_order_binary
reduce rabenseifner 7 reduce_intra_redscat_gather
reduce_scatter reduce_then_scatter 1 reduce_scatter_intra_nonoverlapping
reduce_scatter recursive_halving 2 reduce_scatter_intra_basic_recursivehalving
reduce_scatter ring 3 reduce_scatter_intra_ring
scan linear 1 scan_intra_linear
scan recursive_doubling 2 scan_intra_recursivedoubling
scatter linear 1 scatter_intra_basic_linear
scatter binomial 2 scatter_intra_binomial
scatter linear_nonblocking 3 scatter_intra_linear_nb
LIST

# How many processes called which function of the collectives' algorithms; the linker binds each at its first call.
called() { # $1: operation, $2: bytes; then options, which say how processes talk to each other
    # Each process has a file of its own: what several write to one would mingle.
    rm -rf bound && mkdir bound
    LD_DEBUG=bindings LD_DEBUG_OUTPUT=$work/bound/of timeout 120 mpirun --allow-run-as-root --oversubscribe -np "$ranks" \
        -x LD_DEBUG -x LD_DEBUG_OUTPUT "${@:3}" ./call "$1" "$2" >out 2>&1 ||
        { tail -n 20 out >&2; return 1; }
    { grep -oh 'mca_coll_tuned.so .*normal symbol .ompi_coll_base_[a-z_]*' bound/* || true; } |
        sed 's/.*ompi_coll_base_//' | { grep _intra_ || true; } | sort | uniq -c | sed 's/^ *//'
}

one_node=(--mca btl self,vader)

probe=$(called broadcast 64 "${one_node[@]}") || exit 1
[ -n "$probe" ] || skip "the dynamic linker does not tell what mca_coll_tuned.so calls"

# Of each size the number of the rule, 0 where it leaves the size to Open MPI, and the algorithm, for 0 that which
# hetsim's tables of Open MPI choose.
: >expected
for error in 15 0; do
    awk -F, -v e=$error 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["openmpi_id"] != "" { print e, $at["operation"], $at["bytes"], $at["openmpi_id"], $at["openmpi"] }' \
        error-$error/advise-lab/choices.csv >>expected
done
# The options at the head of a file of rules, which are to be used with it.
options() {
    sed -n '/^#   mpirun/,/THIS_FILE/p' "$1" | tr -d '#\\' | tr '\n' ' ' | sed "s|mpirun||; s|THIS_FILE.*|$1|"
}
# Every call of a list, with the options of its file of rules and others.
check() { # $1: the list, $2: where; then options
    while read -r error operation bytes number name <&3; do
        expected=$(awk -v o="$operation" -v a="$name" -v n="$number" \
            '$1 == o && $2 == a && (n == 0 || $3 == n) { print $4 }' functions)
        [ -n "$expected" ] || { echo "tests/openmpi.sh: $operation $number, $name, is in no list"; exit 1; }
        # shellcheck disable=SC2046
        found=$(called "$operation" "$bytes" "${@:3}" $(options "error-$error/advise-lab/openmpi.rules") </dev/null)
        grep -qx "$ranks $expected" <<<"$found" ||
            { echo "tests/openmpi.sh: $operation of $bytes B $2: expected $expected by $ranks processes, found: ${found:-nothing}"; exit 1; }
    done 3<"$1"
}
check expected "on one node" "${one_node[@]}"

# Each "node" is a daemon with a host name of its own, which takes a namespace of the kernel.
cat >agent <<'SH'
#!/bin/sh
host=$1
shift
exec unshare --uts sh -c "hostname $host; $*"
SH
chmod +x agent
half=$((ranks / 2))
two_nodes=(--mca plm_rsh_agent "$work/agent" --host "a:$half,b:$half" --mca btl "self,tcp" --mca btl_tcp_if_include lo
    --mca oob_tcp_if_include lo --mca coll_han_priority 35)
nodes="on one node"
if unshare --uts hostname a 2>/dev/null && called broadcast 64 "${two_nodes[@]}" >/dev/null 2>&1; then
    # A size of each algorithm: a call takes more than a second.
    awk '$1 == 0 && !seen[$2, $5]++' expected >expected-on-two
    check expected-on-two "on two nodes" "${two_nodes[@]}"
    nodes="on one node, and in $(wc -l <expected-on-two) on two"
fi
checked=$(wc -l <expected)
left=$(grep -c '^[^ ]* [^ ]* [^ ]* 0 ' expected)
distinct=$(cut -d' ' -f2,5 expected | sort -u | wc -l)
echo "tests/openmpi.sh: Open MPI $version ran the expected algorithm in all of $checked calls $nodes, of $distinct algorithms;" \
    "$left calls were left to Open MPI"
