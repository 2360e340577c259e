package pg

import "strings"

// settingScope says where a setting can be given.
type settingScope uint8

const (
	// atStart is for the command line of a server of ours; a given server keeps its own.
	atStart settingScope = iota
	// perDatabase can also be given by the owner of a database.
	perDatabase
	// perDatabaseSuper can also be given to a database, but by a superuser only. Stop mode rests on these.
	perDatabaseSuper
)

// serverSetting is one line of the table that makes the servers of all three ways agree.
type serverSetting struct {
	name, value string
	scope       settingScope
	since       int // first major version that knows it; 0: all supported ones
}

// serverSettings is the one table. Why each group:
//
//   - durability against power loss is off, durability against an immediate stop of the server is not
//     (synchronous_commit=off lost acknowledged commits in every trial);
//   - nothing works in the background or in parallel, and plans are pinned, so that one script means one order;
//   - lock waits are told to the waiting session itself (log_lock_waits, client_min_messages), right after its deadlock
//     check (deadlock_timeout), in untranslated words (lc_messages), and no other LOG line is;
//   - texts that reach a hash (dates, intervals, bytea) have one form, and no timer of the server ends anything.
func serverSettings() []serverSetting {
	return []serverSetting{
		{name: "fsync", value: "off"},
		{name: "full_page_writes", value: "off"},
		{name: "wal_level", value: "minimal"},
		{name: "max_wal_senders", value: "0"},
		{name: "max_wal_size", value: "256MB"},
		{name: "checkpoint_timeout", value: "1h"},
		{name: "shared_buffers", value: "64MB"},
		{name: "huge_pages", value: "off"},
		{name: "dynamic_shared_memory_type", value: "mmap"}, // in the data directory, so that it goes with it
		{name: "max_connections", value: "100"},
		{name: "unix_socket_permissions", value: "0777"}, // the directory around it lets nobody else in
		{name: "logging_collector", value: "off"},
		{name: "log_line_prefix", value: ""},
		{name: "log_checkpoints", value: "off"},
		{name: "autovacuum", value: "off"},
		{name: "bgwriter_lru_maxpages", value: "0"},
		{name: "max_logical_replication_workers", value: "0"},
		{name: "max_parallel_workers", value: "0"},
		{name: "io_method", value: "sync", since: 18}, // its workers are one more order we do not decide

		{name: "synchronous_commit", value: "on", scope: perDatabase},
		{name: "jit", value: "off", scope: perDatabase},
		{name: "max_parallel_workers_per_gather", value: "0", scope: perDatabase},
		{name: "plan_cache_mode", value: "force_generic_plan", scope: perDatabase},
		{name: "enable_hashjoin", value: "off", scope: perDatabase},
		{name: "enable_seqscan", value: "off", scope: perDatabase},
		{name: "timezone", value: "UTC", scope: perDatabase},
		{name: "datestyle", value: "ISO, MDY", scope: perDatabase},
		{name: "intervalstyle", value: "postgres", scope: perDatabase},
		{name: "bytea_output", value: "hex", scope: perDatabase},
		{name: "default_transaction_isolation", value: "read committed", scope: perDatabase},
		{name: "statement_timeout", value: "0", scope: perDatabase},
		{name: "lock_timeout", value: "0", scope: perDatabase},
		{name: "idle_in_transaction_session_timeout", value: "0", scope: perDatabase},
		{name: "idle_session_timeout", value: "0", scope: perDatabase},
		{name: "transaction_timeout", value: "0", scope: perDatabase, since: 17},
		{name: "client_min_messages", value: "log", scope: perDatabase},

		{name: "log_lock_waits", value: "on", scope: perDatabaseSuper},
		{name: "deadlock_timeout", value: "1ms", scope: perDatabaseSuper},
		{name: "lc_messages", value: "C", scope: perDatabaseSuper},
		{name: "log_min_messages", value: "fatal", scope: perDatabaseSuper},
		{name: "log_statement", value: "none", scope: perDatabaseSuper},
		{name: "log_duration", value: "off", scope: perDatabaseSuper},
		{name: "log_min_duration_statement", value: "-1", scope: perDatabaseSuper},
		{name: "log_temp_files", value: "-1", scope: perDatabaseSuper},
	}
}

// startArguments are the settings as arguments of the program postgres of that major version.
func startArguments(major int) []string {
	var args []string
	for _, s := range serverSettings() {
		if s.since <= major {
			args = append(args, "-c", s.name+"="+s.value)
		}
	}
	return args
}

// databaseSettings are those of the settings that a database of a given server can carry.
func databaseSettings(major int, superuser bool) []serverSetting {
	var out []serverSetting
	for _, s := range serverSettings() {
		if s.since <= major && (s.scope == perDatabase || s.scope == perDatabaseSuper && superuser) {
			out = append(out, s)
		}
	}
	return out
}

// statement sets s for every later session of the database.
func (s serverSetting) statement(database string) string {
	value := quoteText(s.value)
	if s.name == "datestyle" { // the one list among them: as one quoted text it would be one unknown style
		value = s.value
	}
	return "ALTER DATABASE " + quoteName(database) + " SET " + s.name + " TO " + value
}

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
func quoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
