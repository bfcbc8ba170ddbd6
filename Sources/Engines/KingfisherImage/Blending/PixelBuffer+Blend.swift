import CKernels

extension PixelBuffer {
    /// Blends the image at an opacity of 0...1 with a canvas of one premultiplied colour of the same depth;
    /// the result is premultiplied RGBA.
    func blended<Sample: BlendSample>(
        _ mode: BlendMode, over backdrop: SIMD4<Sample>, opacity: Double
    ) throws(ImageCodecError) -> PixelBuffer {
        let source = try premultiplied(format.depth)
        if let blend = HingeBlend(mode, over: backdrop, opacity: opacity) {
            return blend.isIdentity ? source : try source.mapped(by: Sample.blend(blend))
        }
        guard let curve = mode.curve else { return source }
        return try source.mapped(
            by: Sample.blend(curve, over: backdrop.samples, opacity: Float(opacity)))
    }

    /// Maps every row of RGBA, opaque or premultiplied, with `loop`.
    ///
    /// The result is opaque if the loop makes opaque and transparent pixels opaque: the alpha that a loop
    /// makes is a linear function of the pixel's alpha.
    func mapped<Sample: KernelSample>(by loop: Sample.Loop) throws(ImageCodecError) -> PixelBuffer {
        let probes: [Sample] = [0, 0, 0, format.isOpaque ? .max : .min, 0, 0, 0, Sample.max]
        var probed = probes
        loop(probes, 2, &probed)
        let isOpaque = probed[3] == .max && probed[7] == .max
        let format = PixelFormat(
            layout: .rgba, depth: self.format.depth, alpha: isOpaque ? .opaque : .premultiplied)
        return try PixelBuffer.decoding(size, format: format) { target, targetStride in
            for row in 0..<height {
                let from = (unsafeBase + row * bytesPerRow).assumingMemoryBound(to: Sample.self)
                loop(from, width, (target + row * targetStride).assumingMemoryBound(to: Sample.self))
            }
        }
    }
}

extension BlendMode {
    fileprivate var curve: kf_curved_mode? {
        switch self {
        case .colorDodge: KF_COLOR_DODGE
        case .colorBurn: KF_COLOR_BURN
        case .hue: KF_HUE
        case .saturation: KF_SATURATION
        case .color: KF_COLOR
        case .luminosity: KF_LUMINOSITY
        default: nil
        }
    }
}
