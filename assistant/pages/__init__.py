"""The pages of the app; each module shows one page or one part that pages share."""
