#!/usr/bin/env bash
# ranks_test.sh once more, over TCP: two hosts that the test makes, network namespaces with a cable between them and names
# of their own, and on each of them half of the ranks. Needs root, ip (iproute2) and Open MPI; skipped without (77).
# The arguments are the program and mpirun.
heed=$1 mpirun=$2
a=heed-a-$$ b=heed-b-$$ net=10.213.$((RANDOM % 250))
command -v ip >/dev/null && "$mpirun" --version 2>/dev/null | grep -q 'Open MPI' || exit 77
trap 'ip netns del "$a" 2>/dev/null; ip netns del "$b" 2>/dev/null; rm -rf "$box"' EXIT
{ ip netns add "$a" && ip netns add "$b" && ip link add "h$$a" netns "$a" type veth peer name "h$$b" netns "$b"; } 2>/dev/null ||
  exit 77
box=$(mktemp -d)
for host in "$a 1 h$$a" "$b 2 h$$b"; do
  read -r name number cable <<<"$host"
  ip -n "$name" addr add "$net.$number/24" dev "$cable" && ip -n "$name" link set "$cable" up &&
    ip -n "$name" link set lo up || exit 1
done
printf '%s.1 slots=8\n%s.2 slots=8\n' "$net" "$net" >"$box/hosts"
# In the place of ssh: HOST COMMAND..
cat >"$box/agent" <<EOF
#!/bin/sh
host=\$1; shift
name=$a; [ "\$host" = $net.1 ] || name=$b
exec ip netns exec \$name unshare --uts sh -c "hostname \$name; \$*"
EOF
cat >"$box/mpirun" <<EOF
#!/bin/sh
exec ip netns exec $a unshare --uts sh -c 'hostname $a; exec "\$@"' sh "$mpirun" --map-by node "\$@"
EOF
chmod +x "$box/agent" "$box/mpirun"
export OMPI_MCA_plm_rsh_agent=$box/agent OMPI_MCA_orte_default_hostfile=$box/hosts OMPI_MCA_btl=tcp,self
export OMPI_MCA_btl_tcp_if_include=$net.0/24 OMPI_MCA_oob_tcp_if_include=$net.0/24
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
[ "$("$box/mpirun" -n 2 hostname | sort | tr '\n' ' ')" = "$a $b " ] || { echo 'MISS not one rank on each host'; exit 1; }
bash "$(dirname "$0")/ranks_test.sh" "$heed" "$box/mpirun" || exit 1

# --- a disk that is full on rank 0
mkdir "$box/disk" && mount -t tmpfs -o size=256k heed "$box/disk" 2>/dev/null || exit 0  # not permitted: the rest has passed
trap 'umount "$box/disk"; ip netns del "$a"; ip netns del "$b"; rm -rf "$box"' EXIT
for i in $(seq 20); do printf 'word %d\tWORT %d\n' "$i" "$i"; done >"$box/pairs.tsv"
timeout 60 "$box/mpirun" -n 2 "$heed" train --pairs "$box/pairs.tsv" --threads 1 --out "$box/disk/run" >/dev/null 2>"$box/err.txt"
code=$?
[ "$code" = 3 ] || [ "$code" = 2 ] || { echo "MISS a full disk: exit $code"; exit 1; }
grep -qi 'no space left' "$box/err.txt" || { echo "MISS a full disk: $(head -n 3 "$box/err.txt")"; exit 1; }
