import KingfisherServer

@main enum Main {
    static func main() {}
}
