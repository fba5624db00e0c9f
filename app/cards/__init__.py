"""Cards, packs, the shuffle and the deal codes: pure, and the same in every release."""
