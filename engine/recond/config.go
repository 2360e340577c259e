package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
	"go.yaml.in/yaml/v4"

	"github.com/recondrill/recondrill/engine/ops"
)

// config is the configuration file. Unknown and repeated fields are refused.
type config struct {
	Database struct {
		DSN string `yaml:"dsn"`
	} `yaml:"database"`
	Ops struct {
		FourEyes int64 `yaml:"four_eyes"` // minor units; see ops.Settings
	} `yaml:"ops"`
}

// settingsOf are the operator's settings of FILE; without one, the production defaults.
func settingsOf(file string) (ops.Settings, error) {
	if file == "" {
		return ops.Settings{}, nil
	}
	c, err := readConfig(file)
	return ops.Settings{FourEyes: c.Ops.FourEyes}, err
}

// readConfig reads FILE; its errors name the file, the line and the field.
func readConfig(file string) (c config, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return c, usage(fmt.Errorf("--config: %w", err))
	}
	if err := yaml.Load(text, &c, yaml.WithKnownFields(), yaml.WithUniqueKeys()); err != nil {
		return c, usage(fmt.Errorf("%s: %s; accepted is\ndatabase:\n  dsn: postgres://…\nops:\n  four_eyes: 500000", file, oneLine(err)))
	}
	return c, nil
}

func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }

// database is the connection asked for: --dsn, else the file's.
func database(dsn, file string) (*pgx.ConnConfig, error) {
	from := "--dsn"
	switch {
	case dsn != "" && file != "":
		return nil, usage(errors.New("--dsn and --config are both given; accepted is one of them"))
	case file != "":
		c, err := readConfig(file)
		if err != nil {
			return nil, err
		}
		dsn, from = c.Database.DSN, file+": database.dsn"
	}
	if dsn == "" {
		return nil, usage(fmt.Errorf("%s is empty; accepted is postgres://user@host/database, or key=value pairs", from))
	}
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		// The driver's own words, which mask the password.
		return nil, usage(fmt.Errorf("%s: %s; accepted is postgres://user@host/database, or key=value pairs", from, oneLine(err)))
	}
	return cfg, nil
}
