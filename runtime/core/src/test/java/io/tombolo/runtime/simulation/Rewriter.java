// SPDX-License-Identifier: Apache-2.0
package io.tombolo.runtime.simulation;

import java.util.Optional;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Turns classes into such as run in a {@link World}: what they would do with the machine's threads,
 * clock and network they do with {@link Hooks}. All else stays as it is.
 */
final class Rewriter extends ClassVisitor {
  private static final String HOOKS = Redirects.name(Hooks.class);
  private static final String OBJECT = "java/lang/Object";
  private static final String HASH = "hashInTheSimulation";
  private static final String BODY = "$body";
  private static final String MEMORY = "io/tombolo/base/NativeMemory";

  private String name;
  private boolean hasIdentityHash;

  private Rewriter(ClassVisitor next) {
    super(Opcodes.ASM9, next);
  }

  static byte[] rewrite(byte[] original) {
    ClassReader reader = new ClassReader(original);
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    reader.accept(new Rewriter(writer), 0);
    return writer.toByteArray();
  }

  @Override
  public void visit(
      int version, int access, String of, String signature, String base, String[] interfaces) {
    name = of;
    hasIdentityHash = OBJECT.equals(base) && (access & Opcodes.ACC_INTERFACE) == 0;
    if (!base.equals(Redirects.made(base))) {
      throw new IllegalStateException(of + " extends " + base + ", which is not simulated so");
    }
    super.visit(version, access, of, signature, base, interfaces);
  }

  @Override
  public MethodVisitor visitMethod(
      int access, String method, String descriptor, String signature, String[] exceptions) {
    hasIdentityHash &= !(method.equals("hashCode") && descriptor.equals("()I"));
    if ((access & Opcodes.ACC_SYNCHRONIZED) == 0) {
      MethodVisitor code = super.visitMethod(access, method, descriptor, signature, exceptions);
      return new Body(code, method.equals("<clinit>"));
    }
    int plain = access & ~Opcodes.ACC_SYNCHRONIZED;
    wrap(
        super.visitMethod(plain, method, descriptor, signature, exceptions),
        access,
        method,
        descriptor);
    int hidden =
        (plain & ~(Opcodes.ACC_PUBLIC | Opcodes.ACC_PROTECTED))
            | Opcodes.ACC_PRIVATE
            | Opcodes.ACC_SYNTHETIC;
    return new Body(super.visitMethod(hidden, method + BODY, descriptor, null, exceptions), false);
  }

  /** Enters the monitor, calls the method's body, and leaves the monitor however that ends. */
  private void wrap(MethodVisitor code, int access, String method, String descriptor) {
    boolean isStatic = (access & Opcodes.ACC_STATIC) != 0;
    Label begin = new Label();
    Label end = new Label();
    Label handler = new Label();
    code.visitCode();
    code.visitTryCatchBlock(begin, end, handler, null);
    if (name.equals(MEMORY) && method.equals("close")) {
      returnIfDoomed(code);
    }
    pushLock(code, isStatic);
    hook(code, "enter");
    code.visitLabel(begin);
    int local = 0;
    if (!isStatic) {
      code.visitVarInsn(Opcodes.ALOAD, local++);
    }
    for (Type argument : Type.getArgumentTypes(descriptor)) {
      code.visitVarInsn(argument.getOpcode(Opcodes.ILOAD), local);
      local += argument.getSize();
    }
    code.visitMethodInsn(
        isStatic ? Opcodes.INVOKESTATIC : Opcodes.INVOKESPECIAL,
        name,
        method + BODY,
        descriptor,
        false);
    code.visitLabel(end);
    pushLock(code, isStatic);
    hook(code, "exit");
    code.visitInsn(Type.getReturnType(descriptor).getOpcode(Opcodes.IRETURN));
    code.visitLabel(handler);
    code.visitFrame(Opcodes.F_SAME1, 0, null, 1, new Object[] {"java/lang/Throwable"});
    pushLock(code, isStatic);
    hook(code, "exit");
    code.visitInsn(Opcodes.ATHROW);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }

  /** Threads that are still to end may touch the memory meanwhile. */
  private static void returnIfDoomed(MethodVisitor code) {
    Label living = new Label();
    code.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "isDoomed", "()Z", false);
    code.visitJumpInsn(Opcodes.IFEQ, living);
    code.visitInsn(Opcodes.RETURN);
    code.visitLabel(living);
    code.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
  }

  private void pushLock(MethodVisitor code, boolean isStatic) {
    if (isStatic) {
      code.visitLdcInsn(Type.getObjectType(name));
    } else {
      code.visitVarInsn(Opcodes.ALOAD, 0);
    }
  }

  private static void hook(MethodVisitor code, String hook) {
    code.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, hook, "(Ljava/lang/Object;)V", false);
  }

  @Override
  public void visitEnd() {
    if (hasIdentityHash) {
      addHash();
    }
    super.visitEnd();
  }

  /** The JVM's own would be another one in each run. */
  private void addHash() {
    FieldVisitor field =
        super.visitField(
            Opcodes.ACC_PRIVATE | Opcodes.ACC_TRANSIENT | Opcodes.ACC_SYNTHETIC,
            HASH,
            "I",
            null,
            null);
    field.visitEnd();
    MethodVisitor code = super.visitMethod(Opcodes.ACC_PUBLIC, "hashCode", "()I", null, null);
    Label known = new Label();
    code.visitCode();
    code.visitVarInsn(Opcodes.ALOAD, 0);
    code.visitFieldInsn(Opcodes.GETFIELD, name, HASH, "I");
    code.visitJumpInsn(Opcodes.IFNE, known);
    code.visitVarInsn(Opcodes.ALOAD, 0);
    code.visitVarInsn(Opcodes.ALOAD, 0);
    code.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "hash", "(Ljava/lang/Object;)I", false);
    code.visitFieldInsn(Opcodes.PUTFIELD, name, HASH, "I");
    code.visitLabel(known);
    code.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
    code.visitVarInsn(Opcodes.ALOAD, 0);
    code.visitFieldInsn(Opcodes.GETFIELD, name, HASH, "I");
    code.visitInsn(Opcodes.IRETURN);
    code.visitMaxs(0, 0);
    code.visitEnd();
  }

  /** What methods do. */
  private static final class Body extends MethodVisitor {
    private final boolean initializes;

    Body(MethodVisitor next, boolean initializes) {
      super(Opcodes.ASM9, next);
      this.initializes = initializes;
    }

    @Override
    public void visitCode() {
      super.visitCode();
      if (initializes) {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "beginInitialization", "()V", false);
      }
    }

    @Override
    public void visitInsn(int opcode) {
      if (initializes && opcode == Opcodes.RETURN) {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "endInitialization", "()V", false);
      }
      switch (opcode) {
        case Opcodes.MONITORENTER -> hook(mv, "enter");
        case Opcodes.MONITOREXIT -> hook(mv, "exit");
        default -> super.visitInsn(opcode);
      }
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
      super.visitTypeInsn(opcode, opcode == Opcodes.NEW ? Redirects.made(type) : type);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String method, String descriptor, boolean isInterface) {
      Optional<Redirects.Target> target =
          Redirects.of(owner, method, descriptor, opcode == Opcodes.INVOKESTATIC);
      if (opcode == Opcodes.INVOKESPECIAL && method.equals("<init>")) {
        super.visitMethodInsn(opcode, Redirects.made(owner), method, descriptor, isInterface);
      } else if (target.isPresent()) {
        super.visitMethodInsn(
            Opcodes.INVOKESTATIC, HOOKS, target.get().name(), target.get().descriptor(), false);
      } else {
        super.visitMethodInsn(opcode, owner, method, descriptor, isInterface);
        afterCall(opcode, owner, method);
      }
    }

    private void afterCall(int opcode, String owner, String method) {
      if (opcode == Opcodes.INVOKESTATIC && owner.equals(MEMORY) && method.equals("allocate")) {
        super.visitInsn(Opcodes.DUP);
        super.visitMethodInsn(
            Opcodes.INVOKESTATIC, HOOKS, "allocated", "(Ljava/lang/AutoCloseable;)V", false);
      }
      if (owner.startsWith("java/util/concurrent/atomic/")
          || owner.startsWith("java/util/concurrent/Concurrent")) {
        super.visitMethodInsn(Opcodes.INVOKESTATIC, HOOKS, "point", "()V", false);
      }
    }

    @Override
    public void visitInvokeDynamicInsn(
        String called, String descriptor, Handle bootstrap, Object... arguments) {
      Object[] redirected = arguments.clone();
      for (int i = 0; i < redirected.length; i++) {
        if (redirected[i] instanceof Handle handle) {
          redirected[i] = redirected(handle);
        }
      }
      super.visitInvokeDynamicInsn(called, descriptor, bootstrap, redirected);
    }

    private static Handle redirected(Handle handle) {
      if (handle.getTag() == Opcodes.H_NEWINVOKESPECIAL) {
        String made = Redirects.made(handle.getOwner());
        return new Handle(handle.getTag(), made, handle.getName(), handle.getDesc(), false);
      }
      boolean isStatic = handle.getTag() == Opcodes.H_INVOKESTATIC;
      return Redirects.of(handle.getOwner(), handle.getName(), handle.getDesc(), isStatic)
          .map(
              target ->
                  new Handle(
                      Opcodes.H_INVOKESTATIC, HOOKS, target.name(), target.descriptor(), false))
          .orElse(handle);
    }
  }
}
