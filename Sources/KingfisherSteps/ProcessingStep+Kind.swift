extension ProcessingStep {
    /// The names of the steps.
    public enum Kind: String, CaseIterable, Sendable {
        /// Changes the size.
        case resize
        /// Decodes to a smaller size.
        case downsample
        /// Cuts out a part.
        case crop
        /// Rounds corners.
        case round
        /// Draws a border.
        case border
        /// Draws a colour over opaque pixels.
        case overlay
        /// Draws a colour over all pixels.
        case tint
        /// Changes brightness, contrast, saturation and exposure.
        case color
        /// Converts to greyscale.
        case bw
        /// Draws with a blend mode.
        case blend
        /// Blurs.
        case blur
        /// Sharpens.
        case sharpen
        /// Turns by quarter turns.
        case rotate
        /// Mirrors.
        case flip
        /// Places the image on a canvas.
        case pad
        /// Removes a border of one colour.
        case trim
        /// Fills a size around a focal point.
        case focus
        /// Draws another image over the image.
        case watermark

        /// The syntax of the step; arguments in brackets are optional.
        public var usage: String {
            switch self {
            case .resize: "resize:WxH[,fit|fill]"
            case .downsample: "downsample:WxH"
            case .crop: "crop:WxH[,AX,AY|GRAVITY]"
            case .round: "round:R[,CORNERS][,#COLOR]"
            case .border: "border:W,#COLOR[,R[,CORNERS]]"
            case .overlay: "overlay:#COLOR[,F]"
            case .tint: "tint:#COLOR"
            case .color: "color:B,C,S[,EV]"
            case .bw: "bw"
            case .blend: "blend:MODE[,A][,#COLOR]"
            case .blur: "blur:R"
            case .sharpen: "sharpen:R[,S]"
            case .rotate: "rotate:90|180|270"
            case .flip: "flip:horizontal|vertical"
            case .pad: "pad:WxH[,AX,AY|GRAVITY][,#COLOR]"
            case .trim: "trim[:T]"
            case .focus: "focus:WxH,X,Y"
            case .watermark: "watermark:NAME[,AX,AY|GRAVITY[,A]]"
            }
        }

        /// An example of the step.
        public var example: String {
            switch self {
            case .resize: "resize:800x600,fit"
            case .downsample: "downsample:300x300"
            case .crop: "crop:200x200,0.5,0"
            case .round: "round:20,tl+br"
            case .border: "border:4,#fff,20"
            case .overlay: "overlay:#06c,0.6"
            case .tint: "tint:#06c5"
            case .color: "color:0.05,1.1,1.3"
            case .bw: "bw"
            case .blend: "blend:multiply,#fc6"
            case .blur: "blur:5"
            case .sharpen: "sharpen:1,0.8"
            case .rotate: "rotate:90"
            case .flip: "flip:horizontal"
            case .pad: "pad:600x600,#fff"
            case .trim: "trim:0.05"
            case .focus: "focus:200x200,0.3,0.6"
            case .watermark: "watermark:logo.png,topRight,0.5"
            }
        }

        /// What the step does, in a sentence or two.
        public var summary: String {
            switch self {
            case .resize:
                "Resizes to W x H pixels; with fit or fill keeps the aspect ratio inside or around that size."
            case .downsample:
                "Shrinks while decoding, so that the longer side is at most that of W x H pixels; never enlarges."
            case .crop:
                "Cuts out W x H pixels; AX,AY in 0...1 is the position, by default the centre 0.5,0.5."
            case .round:
                "Rounds corners by R; the area outside shows the colour, or is transparent."
            case .border:
                "Draws a line of W pixels along the inside of the edge, with corners rounded by R."
            case .overlay:
                "Draws a colour over opaque pixels; F in 0...1 is how much shows through, 0.5 by default."
            case .tint:
                "Draws a colour with its opacity over all pixels, including transparent ones."
            case .color:
                "Adds brightness B, multiplies contrast by C, saturation by S, and exposes by EV f-stops."
            case .bw:
                "Converts to greyscale, 0.7 f-stops lighter."
            case .blend:
                "Draws the image with opacity A in 0...1 by a blend mode on the colour or a transparent canvas."
            case .blur:
                "Blurs with a radius of R pixels."
            case .sharpen:
                "Sharpens details of about R pixels, by the strength S, 1 by default."
            case .rotate:
                "Turns clockwise by a multiple of 90 degrees, without loss."
            case .flip:
                "Exchanges left and right, or top and bottom, without loss."
            case .pad:
                "Places the image on a canvas of at least W x H pixels, transparent or in a colour."
            case .trim:
                "Removes edges in the colour of the top left pixel, with a tolerance T in 0...1, 0.04 by default."
            case .focus:
                "Fills W x H pixels and crops around the point X,Y in 0...1, which stays visible."
            case .watermark:
                "Draws the image NAME, by default at the bottom right, with opacity A in 0...1."
            }
        }
    }

    /// The placeholders in usages that the summaries do not explain.
    public static var notes: String {
        let modes = BlendMode.allCases.map(\.rawValue)
        let lines = stride(from: 0, to: modes.count, by: 6).map {
            modes[$0..<min($0 + 6, modes.count)].joined(separator: ", ")
        }
        return """
            COLOR   hexadecimal: rgb, rgba, rrggbb or rrggbbaa
            CORNERS some of tl, tr, bl and br, joined by +; all four by default
            GRAVITY \(Anchor.names.map(\.name).joined(separator: ", "))
            NAME    in kingfisher get, the path of an image file without a comma
            MODE    \(lines.joined(separator: ",\n        "))
            R       of corners, pixels or a percentage of the image's width or height: 20, 50%w, 25%h
            """
    }
}
