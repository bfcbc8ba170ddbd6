import CKernels

extension PixelBuffer {
    /// Blends the image at an opacity of 0...1 with a canvas of one premultiplied colour; the result is 8-bit
    /// premultiplied RGBA.
    func blended(
        _ mode: BlendMode, over backdrop: SIMD4<UInt8>, opacity: Double
    ) throws(ImageCodecError) -> PixelBuffer {
        let (source, level) = (try premultiplied(), KernelLevel.current.native)
        if let blend = HingeBlend(mode, over: backdrop, opacity: opacity) {
            if blend.isIdentity { return source }
            var native = blend.native
            return try source.mapped { kf_blend_hinge(level, $0, $1, &native, $2) }
        }
        guard let curve = mode.curve else { return source }
        let color = [backdrop.x, backdrop.y, backdrop.z, backdrop.w]
        return try source.mapped { kf_blend_curved(level, curve, $0, $1, color, Float(opacity), $2) }
    }

    /// Maps every row with `loop`. The result is opaque if the loop makes every possible alpha opaque.
    ///
    /// The image must be 8-bit RGBA, opaque or premultiplied.
    func mapped(
        by loop: (UnsafePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>) -> Void
    ) throws(ImageCodecError) -> PixelBuffer {
        let alphas = (format.isOpaque ? 255 : UInt8.min)...UInt8.max
        let probes = alphas.flatMap { alpha -> [UInt8] in [0, 0, 0, alpha] }
        var probed = [UInt8](repeating: 0, count: probes.count)
        loop(probes, alphas.count, &probed)
        let opaque = stride(from: 3, to: probed.count, by: 4).allSatisfy { probed[$0] == 255 }
        let format: PixelFormat = opaque ? .rgba8Opaque : .rgba8Premultiplied
        return try PixelBuffer.decoding(size, format: format) { target, targetStride in
            for row in 0..<height {
                let from = (unsafeBase + row * bytesPerRow).assumingMemoryBound(to: UInt8.self)
                loop(from, width, (target + row * targetStride).assumingMemoryBound(to: UInt8.self))
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
