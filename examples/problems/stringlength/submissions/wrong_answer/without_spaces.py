def stringLength(text):
    return len("".join(text.split()))
