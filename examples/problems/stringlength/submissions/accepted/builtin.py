def stringLength(text):
    return len(text)
