def main(arguments):
    pass
