# SPDX-License-Identifier: 0BSD
# gen-completion.awk - completion for bash: options by their names, anything else as a file
# usage: awk -f usage.awk -f gen-completion.awk gen/config.mk applets/*.c

/^CONFIG_.* := y$/ { on[substr($1, 8)] = 1 }

END {
	for (i = 1; i <= napplets; i++) {
		if (!(sym[i] in on))
			continue
		called = name[i]
		linked = linked " " name[i]
		for (l = 1; l <= naliases; l++)
			if (alias_of[l] == i) {
				called = called " | " alias_name[l]
				if (alias_sym[l] in on)
					linked = linked " " alias_name[l]
			}
		words = "-h -V"
		longs = "--help --version"
		for (k = 1; k <= nopts[i]; k++) {
			j = opt[i, k]
			if (gate[i, j] != "" && !(gate[i, j] in on))
				continue
			if (letter[i, j] != "")
				words = words " -" letter[i, j]
			if (long[i, j] != "")
				longs = longs " --" long[i, j]
		}
		if ("LONG_OPTS" in on)
			words = words " " longs
		cases = cases "\t" called ") words=\"" words "\" ;;\n"
	}

	print "# bash completion for warmbox and its applets"
	print "_warmbox()"
	print "{"
	print "\tlocal words name=${COMP_WORDS[0]##*/} cur=${COMP_WORDS[COMP_CWORD]}"
	print "\tif [[ $name == warmbox ]]; then"
	print "\t\tname=${COMP_WORDS[1]}"
	print "\t\tif (( COMP_CWORD == 1 )); then"
	print "\t\t\twords=\"" substr(linked, 2) " --help --list --list-full" \
		("FEATURE_INSTALLER" in on ? " --install" : "") "\""
	print "\t\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")"
	print "\t\t\treturn"
	print "\t\tfi"
	print "\tfi"
	print "\tcase $name in"
	printf "%s", cases
	print "\tesac"
	print "\tif [[ $cur == -* ]]; then"
	print "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")"
	print "\tfi"
	print "} &&"
	print "\tcomplete -o default -F _warmbox warmbox" linked
}
