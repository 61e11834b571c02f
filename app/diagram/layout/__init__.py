"""Where everything in a picture lies: arithmetic on views, no worlds and no colours."""
