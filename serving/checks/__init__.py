"""What ``mneme doctor`` looks at: a file for each group of checks, each check with what is wrong and how to mend it."""
