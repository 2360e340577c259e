package mutation

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build makes the mutated program `recondrill` of the tree at root in dir and answers its path.
func (m Mutant) Build(ctx context.Context, root, dir string) (string, error) {
	replace := map[string]string{}
	for name, source := range m.Files {
		target := filepath.Join(dir, "tree", name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(target, source, 0o644); err != nil {
			return "", err
		}
		replace[filepath.Join(root, name)] = target
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o644); err != nil {
		return "", err
	}
	program := filepath.Join(dir, "recondrill")
	build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-ldflags", "-s -w", "-o", program, ".") // symbols cost half the link
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s does not compile: %s", m.Name, out)
	}
	return program, nil
}
