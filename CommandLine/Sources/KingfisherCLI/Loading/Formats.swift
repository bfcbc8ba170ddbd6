import Kingfisher

#if WITH_WEBP
    import KingfisherWebP
#endif

enum Formats {
    /// Must be called before arguments are parsed, because help and errors list all formats.
    static func register() {
        #if WITH_WEBP
            ImageCodecs.register(.webP)
        #endif
    }
}
