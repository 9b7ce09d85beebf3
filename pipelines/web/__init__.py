"""What polite fetching is made of: the state on disk, the address guard, robots.txt, the signs of a
bot check, saved pages. Put together in pipelines/fetch.py."""
