# counts of runs.txt (random_models.cpp says what its lines hold), and what they are held to
$1 == "still" { still++ }
$1 == "replaced" { replaced++ }
$1 == "run" {
  kind = $5 == "tolerance" ? $4 ", " $5 " " $6 : "fixed steps"
  if (!(kind in runs)) kinds[++k] = kind
  runs[kind]++
  count[kind, $10 == "failed" ? $10 : $10 " " $11]++
  if ($2 != last) { models++; last = $2 }
}
$1 == "run" && $5 == "tolerance" && ($10 == "wrong" && $11 == "sound" || $10 == "failed") { print }
function share(kind, what) { return runs[kind] ? count[kind, what] / runs[kind] : 0 }
function judge(holds, text) { bad = bad || !holds; print (holds ? "ok " : "not ok ") text }
function percent(x) { return sprintf("%.1f %%", 100 * x) }
END {
  printf "%-24s %6s %12s %12s %14s %14s %8s\n", "", "runs", "right, sound", "wrong, sound", "wrong, suspect", "right, suspect", "failed"
  for (i = 1; i <= k; i++) {
    kind = kinds[i]
    printf "%-24s %6d %12d %12d %14d %14d %8d\n", kind, runs[kind], count[kind, "right sound"], count[kind, "wrong sound"], \
      count[kind, "wrong suspect"], count[kind, "right suspect"], count[kind, "failed"]
  }
  printf "replaced because two step sizes of the reference disagree: %d; because nothing moves: %d\n", replaced, still
  for (i = 1; i <= k; i++) {
    kind = kinds[i]
    if (kind != "fixed steps") {
      judge(count[kind, "wrong sound"] == 0, kind ": no run is wrong and sound")
      judge(count[kind, "failed"] == 0, kind ": no run fails")
      judge(share(kind, "right suspect") <= 0.02, kind ": false alarms " percent(share(kind, "right suspect")) ", at most 2 %")
    } else {
      judge(share(kind, "wrong sound") <= 0.15, kind ": wrong and sound " percent(share(kind, "wrong sound")) ", at most 15 %")
      judge(share(kind, "right suspect") <= 0.15, kind ": false alarms " percent(share(kind, "right suspect")) ", at most 15 %")
    }
  }
  judge(models && replaced <= 0.05 * models, "references that disagree: at most 5 %")
  exit bad
}
