extension ProcessingStep {
    /// The steps there are, by name, as `kingfisher processors` lists them.
    enum Kind: String, CaseIterable, Sendable {
        case resize, downsample, crop, round, blur

        /// The step with its arguments; what stands in brackets may be left out.
        var usage: String {
            switch self {
            case .resize: "resize:WxH[,fit|fill]"
            case .downsample: "downsample:WxH"
            case .crop: "crop:WxH[,AX,AY]"
            case .round: "round:R"
            case .blur: "blur:R"
            }
        }

        var example: String {
            switch self {
            case .resize: "resize:800x600,fit"
            case .downsample: "downsample:300x300"
            case .crop: "crop:200x200,0.5,0"
            case .round: "round:20"
            case .blur: "blur:5"
            }
        }

        var summary: String {
            switch self {
            case .resize:
                "Resizes to W x H pixels; with fit or fill keeps the proportions inside or around that size."
            case .downsample:
                "Shrinks while decoding, so that the picture fits W x H pixels; never enlarges."
            case .crop:
                "Cuts out W x H pixels; AX,AY in 0...1 say where, 0.5,0.5 is the middle and the default."
            case .round:
                "Rounds the corners by R pixels; the corners become transparent."
            case .blur:
                "Blurs with a radius of R pixels."
            }
        }
    }
}
