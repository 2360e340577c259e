package enginetest

// Failover makes the server another one, as a promotion or a restore does: it answers to another identity. What the tail
// lost, a test takes away itself.
func (s *Stage) Failover(identity string) {
	s.T.Helper()
	s.Exec(`create or replace function recon.server_identity(out system_identifier text, out timeline integer)
		language sql stable as $$ select '` + identity + `', 2 $$`)
	_, err := s.DB.Beat(s.Ctx)
	if err != nil {
		s.T.Fatalf("the heartbeat that notices: %v", err)
	}
}
