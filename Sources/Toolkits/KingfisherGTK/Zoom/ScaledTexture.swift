import CGtk
import Glibc

/// GskScalingFilter, which GTK has since 4.10.
enum TextureFilter: CUnsignedInt {
    case linear, nearest, trilinear
}

/// `gtk_snapshot_append_scaled_texture`, which GTK has since 4.10.
enum ScaledTexture {
    typealias Append =
        @convention(c) (OpaquePointer, OpaquePointer, CUnsignedInt, UnsafePointer<graphene_rect_t>) -> Void

    /// Nil with earlier versions, which always interpolate.
    static let append = dlsym(nil, "gtk_snapshot_append_scaled_texture").map {
        unsafeBitCast($0, to: Append.self)
    }
}
