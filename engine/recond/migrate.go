package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/recondrill/recondrill/engine/postgres"
)

func migrateCommand() *cobra.Command {
	var dsn, file string
	cmd := &cobra.Command{
		Use: "migrate", Short: "Brings the database to this build's schema",
		Long: "Brings the database to this build's schema, all in one transaction; run again it changes nothing.\n" +
			"The user must be allowed to create the schema recon and, the first time on a server, its four roles.",
		Args: noArgument("migrate"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := database(dsn, file)
			if err != nil {
				return err
			}
			if err := postgres.Migrate(cmd.Context(), cfg); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s is at this build's schema\n", cfg.Database)
			return err
		},
	}
	cmd.Flags().StringVar(&dsn, "dsn", "", "the database")
	cmd.Flags().StringVar(&file, "config", "", "a configuration file with database.dsn")
	return cmd
}
